#include "recording/chosen_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "recording/run_sums.hpp"

namespace kjoule {
namespace {

constexpr uint64_t kMostLaunches = 50000;  ///< of a measured iteration or pass
constexpr uint64_t kMostBetween = 8;       ///< other launches between two passes of one stretch
constexpr uint64_t kMostPreceding = 5;     ///< iterations
constexpr size_t kMostParts = 2;
constexpr double kLeastPartShare = 0.1;  ///< of the time of all kernels, without which a part tells little

LaunchRange range_of(const RunPart& part) {
  return {part.first, part.first + part.launches};
}

/// Returns these launches as a single pass.
ChosenPart chosen(LaunchRange measured, const RunSums& sums) {
  ChosenPart part;
  part.facts.first = sums.number(measured.first);
  part.facts.end = sums.number(measured.end);
  part.facts.measured_ns = part.facts.part_ns = sums.busy_ns(measured);
  for (uint64_t launch = measured.first; launch < measured.end; ++launch)
    part.launches.push_back({sums.launches()[launch]->operations, {}});
  return part;
}

/// Returns the part of a kind that has the most GPU time.
const RunPart& longest_part(uint32_t kind, const RunStructure& structure, const RunSums& sums) {
  const RunPart* longest = nullptr;
  for (const RunPart& part : structure.parts)
    if (part.kind == kind &&
        (longest == nullptr || sums.busy_ns(range_of(part)) > sums.busy_ns(range_of(*longest))))
      longest = &part;
  return *longest;
}

std::optional<ChosenPart> choose_iteration(const KindSummary& kind, const RunPart& longest,
                                           const RunSums& sums) {
  const LoopIterations iterations(longest, sums);
  const auto best = iterations.best(kMostPreceding + 1, kMostLaunches);
  if (!best) return {};
  ChosenPart part = chosen(iterations.range(*best), sums);
  part.facts.is_loop = true;
  part.facts.iterations = kind.iterations;
  part.facts.part_ns = kind.times.busy_ns;
  part.facts.spread = iterations.spread();
  if (longest.even && *best > 0) part.preceding = std::min(kMostPreceding, *best - 1);
  return part;
}

/// Joins single passes that follow each other.
class Stretches {
 public:
  /// A pass belongs to a stretch if its kernels have more than this share of its GPU time.
  Stretches(const RunSummary& summary, const RunSums& sums, double kernel_share)
      : sums_(sums), kernel_share_(kernel_share) {
    for (const RunPart& part : summary.structure.parts) {
      if (part.period > 0)
        close();
      else
        add(range_of(part));
    }
    close();
  }

  const std::vector<LaunchRange>& found() const { return found_; }

 private:
  void add(LaunchRange pass) {
    if (sums_.kernel_share(pass) <= kernel_share_) {
      if (open_ && sums_.operations({open_->end, pass.end}) > kMostBetween) close();
      return;
    }
    if (open_ && sums_.operations({open_->first, pass.end}) > kMostLaunches) close();
    if (sums_.operations(pass) > kMostLaunches) return;
    open_ = LaunchRange{open_ ? open_->first : pass.first, pass.end};
  }
  void close() {
    if (open_) found_.push_back(*open_);
    open_.reset();
  }

  const RunSums& sums_;
  double kernel_share_;
  std::optional<LaunchRange> open_;
  std::vector<LaunchRange> found_;
};

/// Returns a name that is equal for all kinds of copies, whose names differ in detail.
std::string comparable(const std::string& name) {
  for (const std::string_view kind : {"memcpy", "memset"})
    if (name.starts_with(kind)) return std::string(kind);
  return name;
}

/// Sets the names of a part's launches: a launch has the name in the host's log, the nodes of a graph those
/// in CUPTI's records.
void set_names(const RunLog& log, const RunSums& sums, ChosenPart& part) {
  const uint64_t first = sums.launch_at(part.facts.first);
  for (const DeviceOperation& operation : log.operations) {
    const auto launch = sums.launch_of(operation);
    if (!launch || *launch < first || *launch >= first + part.launches.size()) continue;
    part.launches[*launch - first].names.push_back(comparable(log.operation_names[operation.name].name));
  }
  for (size_t i = 0; i < part.launches.size(); ++i) {
    const HostCall& call = *sums.launches()[first + i];
    std::vector<std::string>& names = part.launches[i].names;
    if (call.kind == HostCallKind::launch) names = {comparable(log.call_names[call.name].name)};
    if (names.size() != call.operations) names.clear();
    std::ranges::sort(names);
  }
}

}  // namespace

std::vector<ChosenPart> choose_parts(const RunLog& log, const RunSummary& summary) {
  const RunSums sums(log);
  std::vector<ChosenPart> parts;
  int64_t not_measurable_ns = 0;
  for (const KindSummary& kind : summary.kinds) {
    if (kind.period == 0) continue;
    const RunPart& longest = longest_part(kind.kind, summary.structure, sums);
    if (sums.kernel_share(range_of(longest)) == 0) continue;
    if (auto part = choose_iteration(kind, longest, sums))
      parts.push_back(*std::move(part));
    else
      not_measurable_ns = std::max(not_measurable_ns, kind.times.busy_ns);
  }
  constexpr double kMost = 0.5;
  std::vector<LaunchRange> passes = Stretches(summary, sums, kMost).found();
  if (passes.empty()) passes = Stretches(summary, sums, 0).found();
  for (const LaunchRange& pass : passes) parts.push_back(chosen(pass, sums));
  const double least_ns = kLeastPartShare * static_cast<double>(sums.all_kernels_ns());
  std::erase_if(parts, [&](const ChosenPart& part) {
    const LaunchRange measured{sums.launch_at(part.facts.first), sums.launch_at(part.facts.end)};
    return part.facts.part_ns < not_measurable_ns ||
           sums.kernel_share(measured) * static_cast<double>(part.facts.part_ns) < least_ns;
  });
  std::ranges::stable_sort(parts, std::ranges::greater{},
                           [](const ChosenPart& part) { return part.facts.part_ns; });
  if (parts.size() > kMostParts) parts.resize(kMostParts);
  for (ChosenPart& part : parts) {
    if (summary.times.busy_ns > 0)
      part.facts.run_share =
          static_cast<double>(part.facts.part_ns) / static_cast<double>(summary.times.busy_ns);
    set_names(log, sums, part);
  }
  return parts;
}

std::optional<uint64_t> first_other_launch(const ChosenPart& part, const std::vector<std::string>& recorded) {
  size_t at = 0;
  for (const PartLaunch& launch : part.launches) {
    if (at + launch.operations > recorded.size()) return part.facts.first + recorded.size();
    std::vector<std::string> names;
    for (size_t i = 0; i < launch.operations; ++i) names.push_back(comparable(recorded[at + i]));
    std::ranges::sort(names);
    if (!launch.names.empty() && names != launch.names) return part.facts.first + at;
    at += launch.operations;
  }
  if (at < recorded.size()) return part.facts.first + at;
  return {};
}

std::string part_text(const PartFacts& facts) {
  const std::string what =
      facts.is_loop ? fmt::format("one of {} iterations of a loop with", facts.iterations) : "single pass,";
  return fmt::format("launches {}..{} ({} {:.0f} % of the GPU time)", facts.first, facts.end, what,
                     100 * facts.run_share);
}

}  // namespace kjoule
