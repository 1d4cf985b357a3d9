#include "compare/changes/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compare/changes/start_share.hpp"

namespace kjoule {

namespace {

/// Launches of some kernels in the iteration of one of the two runs.
struct Side {
  const BaselineIteration& iteration;
  LaunchCounts counts;
};

std::vector<NamedLaunches> named(const Side& side) {
  std::vector<NamedLaunches> all;
  for (const auto& [kernel, count] : side.counts) all.push_back({side.iteration.kernels[kernel].name, count});
  return all;
}

uint64_t number_of(const LaunchCounts& counts) {
  uint64_t number = 0;
  for (const auto& [kernel, count] : counts) number += count;
  return number;
}

/// Returns the time or energy of launches; nothing if one of their kernels has none. The half-widths of
/// kernels are added up, because the errors of the instrument have the same sign.
std::optional<Interval> value_of(const Side& side, std::optional<Interval> BaselineKernel::*value) {
  Interval sum;
  for (const auto& [kernel, count] : side.counts) {
    const BaselineKernel& one = side.iteration.kernels[kernel];
    if (!(one.*value)) return {};
    const double share = static_cast<double>(count) / static_cast<double>(one.count);
    sum.value += share * (one.*value)->value;
    sum.half_width += share * (one.*value)->half_width;
  }
  return sum;
}

std::optional<ValueChange> change_of(const std::optional<Interval>& before,
                                     const std::optional<Interval>& after, double start_share) {
  if (!before || !after) return {};
  const double mean = (std::abs(before->value) + std::abs(after->value)) / 2;
  return ValueChange{*before, *after, start_share * mean};
}

KernelChangeKind kind_of(const ReplacedLaunches& replaced) {
  const uint64_t before = number_of(replaced.before), after = number_of(replaced.after);
  if (before == 0) return KernelChangeKind::added;
  if (after == 0) return KernelChangeKind::removed;
  if (before == after) return KernelChangeKind::replaced;
  return before > after ? KernelChangeKind::fused : KernelChangeKind::split;
}

/// Compares the kernels of two iterations.
class KernelComparison {
 public:
  KernelComparison(const BaselineIteration& before, const BaselineIteration& after, double start_share)
      : before_(before), after_(after), start_share_(start_share) {}

  std::vector<KernelChange> changes() const {
    const std::vector<KernelMatch> matches = match_kernels(before_.kernels, after_.kernels);
    const LaunchGroups groups = group_launches(before_, after_, matches);
    std::vector<KernelChange> all;
    for (size_t m = 0; m < matches.size(); ++m)
      if (groups.matched[m] > 0)
        all.push_back(change(matches[m].likeness == KernelLikeness::same ? KernelChangeKind::same
                                                                         : KernelChangeKind::other_form,
                             {{matches[m].before, groups.matched[m]}},
                             {{matches[m].after, groups.matched[m]}}, 1));
    for (const ReplacedLaunches& one : groups.replaced)
      all.push_back(change(kind_of(one), one.before, one.after, one.occurrences));
    std::ranges::stable_sort(all, std::greater(), [](const KernelChange& one) {
      return one.time_s ? std::abs(one.time_s->difference().value) : 0.0;
    });
    return all;
  }

 private:
  KernelChange change(KernelChangeKind kind, LaunchCounts counts_before, LaunchCounts counts_after,
                      uint64_t occurrences) const {
    const Side before{before_, std::move(counts_before)}, after{after_, std::move(counts_after)};
    const auto values = [&](std::optional<Interval> BaselineKernel::*value) {
      return change_of(value_of(before, value), value_of(after, value), start_share_);
    };
    return {kind,
            named(before),
            named(after),
            occurrences,
            values(&BaselineKernel::time_s),
            values(&BaselineKernel::energy_j)};
  }

  const BaselineIteration &before_, &after_;
  double start_share_;
};

using Parts = std::vector<BaselinePart>;

std::vector<PartChange> compare_parts(const Parts& before, const Parts& after, double start_share) {
  std::vector<PartChange> changes;
  std::vector<bool> found(after.size());
  for (const BaselinePart& part : before) {
    PartChange& change = changes.emplace_back(PartChange{part.name, part.count, 0, {}, {}});
    for (size_t p = 0; p < after.size(); ++p) {
      if (found[p] || after[p].name != part.name) continue;
      found[p] = true;
      change.count_after = after[p].count;
      change.time_s = change_of(part.time_s, after[p].time_s, start_share);
      change.energy_j = change_of(part.energy_j, after[p].energy_j, start_share);
      break;
    }
  }
  for (size_t p = 0; p < after.size(); ++p)
    if (!found[p]) changes.push_back({after[p].name, 0, after[p].count, {}, {}});
  return changes;
}

IterationDifference compare_iterations(const BaselineIteration& before, const BaselineIteration& after,
                                       double start_share) {
  IterationDifference difference;
  difference.phase_before = before.phase;
  difference.phase_after = after.phase;
  difference.program_s = change_of(before.program_s, after.program_s, start_share);
  difference.whole_s = *change_of(before.whole_s, after.whole_s, start_share);
  difference.sum_s = *change_of(before.sum_s, after.sum_s, start_share);
  difference.whole_j = change_of(before.whole_j, after.whole_j, start_share);
  difference.whole_w = change_of(before.whole_w, after.whole_w, start_share);
  difference.kernels = KernelComparison(before, after, start_share).changes();
  difference.ranges = compare_parts(before.ranges, after.ranges, start_share);
  return difference;
}

/// Returns the time of the kernels that two iterations have in common, as a share of the time of both.
double likeness_of(const BaselineIteration& before, const BaselineIteration& after) {
  const auto shares = [](const BaselineIteration& iteration) {
    std::map<std::string, double> of_name;
    for (const uint32_t kernel : iteration.launches)
      of_name[iteration.kernels[kernel].name] += 1.0 / static_cast<double>(iteration.launches.size());
    return of_name;
  };
  const auto of_after = shares(after);
  double common = 0;
  for (const auto& [name, share] : shares(before))
    if (const auto found = of_after.find(name); found != of_after.end())
      common += std::min(share, found->second);
  return common;
}

using IterationPairs = std::vector<std::pair<size_t, size_t>>;

/// Returns the pairs of iterations that correspond to each other. The most similar iterations are paired
/// first.
IterationPairs pair_iterations(const std::vector<BaselineIteration>& before,
                               const std::vector<BaselineIteration>& after) {
  if (before.size() == 1 && after.size() == 1) return {{0, 0}};
  std::vector<std::tuple<double, size_t, size_t>> candidates;
  for (size_t a = 0; a < before.size(); ++a)
    for (size_t b = 0; b < after.size(); ++b)
      if (const double likeness = likeness_of(before[a], after[b]); likeness > 0)
        candidates.emplace_back(-likeness, a, b);
  std::ranges::sort(candidates);
  IterationPairs pairs;
  std::vector<bool> paired_before(before.size()), paired_after(after.size());
  for (const auto& [likeness, a, b] : candidates) {
    if (paired_before[a] || paired_after[b]) continue;
    pairs.emplace_back(a, b);
    paired_before[a] = paired_after[b] = true;
  }
  std::ranges::sort(pairs);
  return pairs;
}

std::vector<std::string> phases_without(const std::vector<BaselineIteration>& iterations,
                                        const std::vector<size_t>& paired) {
  std::vector<std::string> phases;
  for (size_t i = 0; i < iterations.size(); ++i)
    if (std::ranges::find(paired, i) == paired.end())
      phases.push_back(iterations[i].phase.empty() ? "the iteration" : iterations[i].phase);
  return phases;
}

/// Returns the time of all iterations of the paired phases.
Interval run_time(const std::vector<BaselineIteration>& iterations, const std::vector<size_t>& paired) {
  Interval sum;
  for (const size_t i : paired) {
    const auto number = static_cast<double>(iterations[i].iterations);
    sum.value += number * iterations[i].whole_s.value;
    sum.half_width += number * iterations[i].whole_s.half_width;
  }
  return sum;
}

std::vector<std::string> findings_of(const Baseline& before, const Baseline& after) {
  std::vector<std::string> findings;
  if (before.device.name != after.device.name)
    findings.push_back(
        fmt::format("the devices differ: {} before, {} after", before.device.name, after.device.name));
  const auto add_verdicts = [&](const Baseline& baseline, const char* when) {
    for (const BaselineIteration& iteration : baseline.iterations)
      if (iteration.verdict != "adds up")
        findings.push_back(fmt::format(
            "{}{}{}: the comparison of the kernels' sum with the whole iteration resulted in \"{}\"", when,
            iteration.phase.empty() ? "" : ", ", iteration.phase, iteration.verdict));
  };
  add_verdicts(before, "before");
  add_verdicts(after, "after");
  return findings;
}

}  // namespace

const char* to_string(ChangeVerdict verdict) {
  switch (verdict) {
    case ChangeVerdict::not_changed:
      return "not changed";
    case ChangeVerdict::changed:
      return "changed";
    case ChangeVerdict::inconclusive:
      break;
  }
  return "inconclusive";
}

const char* to_string(KernelChangeKind kind) {
  switch (kind) {
    case KernelChangeKind::same:
      return "same";
    case KernelChangeKind::other_form:
      return "other form";
    case KernelChangeKind::added:
      return "added";
    case KernelChangeKind::removed:
      return "removed";
    case KernelChangeKind::fused:
      return "fused";
    case KernelChangeKind::split:
      return "split";
    case KernelChangeKind::replaced:
      break;
  }
  return "replaced";
}

Interval ValueChange::difference() const {
  return {after.value - before.value, before.half_width + after.half_width + start_half_width};
}

Interval ValueChange::share() const {
  const Interval change = difference();
  return {change.value / before.value, change.half_width / std::abs(before.value)};
}

bool ValueChange::is_change() const {
  const Interval change = difference();
  return std::abs(change.value) > change.half_width;
}

ChangeVerdict ValueChange::rose_above(double limit) const {
  const Interval change = share();
  if (change.value - change.half_width > limit) return ChangeVerdict::changed;
  if (change.value + change.half_width <= limit) return ChangeVerdict::not_changed;
  return ChangeVerdict::inconclusive;
}

bool KernelChange::is_change() const {
  return kind != KernelChangeKind::same || (time_s && time_s->is_change()) ||
         (energy_j && energy_j->is_change());
}

ChangeVerdict Difference::rose_above(const ChangeLimits& limits) const {
  bool is_open = iterations.empty() || !only_before.empty() || !only_after.empty();
  for (const IterationDifference& iteration : iterations) {
    for (const auto& [value, limit] : {std::pair(std::optional(iteration.whole_s), limits.time),
                                       std::pair(iteration.whole_j, limits.energy)}) {
      if (!limit) continue;
      const ChangeVerdict verdict = value ? value->rose_above(*limit) : ChangeVerdict::inconclusive;
      if (verdict == ChangeVerdict::changed) return verdict;
      is_open = is_open || verdict == ChangeVerdict::inconclusive;
    }
  }
  return is_open ? ChangeVerdict::inconclusive : ChangeVerdict::not_changed;
}

Difference compare_baselines(const Baseline& before, const Baseline& after) {
  Difference difference;
  difference.before = before;
  difference.after = after;
  const StartShare start = start_share(before, after);
  difference.start_share = start.share;
  difference.start_share_source = start.source;
  const double share = start.share.value_or(0);
  std::vector<size_t> paired_before, paired_after;
  for (const auto& [a, b] : pair_iterations(before.iterations, after.iterations)) {
    difference.iterations.push_back(compare_iterations(before.iterations[a], after.iterations[b], share));
    paired_before.push_back(a);
    paired_after.push_back(b);
  }
  difference.only_before = phases_without(before.iterations, paired_before);
  difference.only_after = phases_without(after.iterations, paired_after);
  const bool are_parts = std::ranges::none_of(before.iterations, &BaselineIteration::is_of_rank);
  if (difference.iterations.size() > 1 && are_parts)
    difference.run_s = change_of(run_time(before.iterations, paired_before),
                                 run_time(after.iterations, paired_after), share);
  difference.layers = compare_parts(before.layers, after.layers, share);
  difference.findings = findings_of(before, after);
  return difference;
}

}  // namespace kjoule
