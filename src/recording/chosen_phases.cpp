#include "recording/chosen_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "recording/make_pattern.hpp"
#include "recording/run_sums.hpp"

namespace kjoule {
namespace {

constexpr uint64_t kMostLaunches = 50000;  ///< in a measured iteration or pass
constexpr uint64_t kMostBetween = 8;       ///< other launches between two passes of one stretch
constexpr double kMostPooled = 2;          ///< upper limit of ChosenPhase::pooled_precision
constexpr double kLeastCopies = 0.05;      ///< least run_share of a measured phase without kernels
/// The usual time for the rounds of a phase is kRounds_s plus the time of kRoundsIterations iterations.
constexpr double kRounds_s = 1, kRoundsIterations = 100;
/// Least and largest multiple of the usual time. The least is enough for about three rounds.
constexpr double kLeastRounds = 0.4, kMostRounds = 8;
/// Time of a phase outside its rounds, in seconds and in iterations: recording, verification, warm-up,
/// kernels in isolation.
constexpr double kBesideRounds_s = 0.6, kBesideRoundsIterations = 30;
constexpr uint64_t kMostEarly = 6;  ///< first iterations, which are measured only if no later one can be

LaunchRange range_of(const RunPart& part) {
  return {part.first, part.first + part.launches};
}

/// A phase that may be measured.
struct Candidate {
  PartFacts facts;
  LaunchRange measured;
  bool has_kernels = false;
  const RunPart* loop = nullptr;  ///< the loop; null for a single pass
  std::string unmeasurable{};     ///< the reason if it cannot be measured; otherwise empty
  /// Several iterations that represent a loop whose iterations differ; otherwise empty.
  std::vector<Candidate> samples{};
};

/// Returns the launches `measured` as a phase of their own.
Candidate candidate_of(LaunchRange measured, const RunSums& sums) {
  Candidate one;
  one.measured = measured;
  one.has_kernels = sums.kernel_share(measured) > 0;
  one.facts.first = sums.number(measured.first);
  one.facts.end = sums.number(measured.end);
  one.facts.measured_ns = one.facts.part_ns = sums.busy_ns(measured);
  if (sums.operations(measured) > kMostLaunches)
    one.unmeasurable = fmt::format("it has more than {} launches", kMostLaunches);
  return one;
}

/// Returns a single pass. The time of a launch begins when the launch before it ends, so the run's first
/// launch is not measured, unless it is the only one of the pass.
Candidate candidate_of_pass(LaunchRange pass, const RunSums& sums) {
  LaunchRange measured = pass;
  if (pass.first == 0 && pass.end > 1) ++measured.first;
  Candidate one = candidate_of(measured, sums);
  one.facts.part_ns = sums.busy_ns(pass);
  return one;
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

/// Returns the loop of a kind, of which the iteration with the median GPU time is measured.
Candidate candidate_of(const KindSummary& kind, const RunPart& longest, const RunSums& sums) {
  const LoopIterations iterations(longest, sums);
  const auto best = iterations.best(kMostEarly, kMostLaunches);
  Candidate one = candidate_of(best ? iterations.range(*best) : iterations.range(0), sums);
  if (!best)
    one.unmeasurable =
        fmt::format("each of its iterations is incomplete in the profiler's log or has more than {} launches",
                    kMostLaunches);
  one.loop = &longest;
  one.facts.is_loop = true;
  one.facts.iterations = kind.iterations;
  one.facts.part_ns = kind.times.busy_ns;
  one.facts.spread = iterations.spread();
  return one;
}

/// Returns iterations at even distances, which represent a loop whose iterations differ; none if fewer than
/// two are measurable.
std::vector<Candidate> samples_of(const Candidate& loop, size_t count, const RunSums& sums) {
  const LoopIterations iterations(*loop.loop, sums);
  const std::vector<uint64_t> sampled = iterations.systematic(count, kMostEarly, kMostLaunches);
  std::vector<Candidate> samples;
  if (sampled.size() < 2) return samples;
  for (size_t i = 0; i < sampled.size(); ++i) {
    Candidate& one = samples.emplace_back(candidate_of(iterations.range(sampled[i]), sums));
    one.loop = loop.loop;
    one.facts.is_loop = true;
    one.facts.iterations =
        loop.facts.iterations * (i + 1) / sampled.size() - loop.facts.iterations * i / sampled.size();
    one.facts.samples = sampled.size();
    one.facts.part_ns = loop.facts.part_ns / static_cast<int64_t>(sampled.size());
    one.facts.spread = loop.facts.spread;
  }
  return samples;
}

/// Stretches of single passes: consecutive passes with kernels, joined.
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

/// Returns the single passes outside the stretches, which are sorted. Consecutive passes are joined.
std::vector<LaunchRange> rest(const RunSummary& summary, const RunSums& sums,
                              const std::vector<LaunchRange>& stretches) {
  std::vector<LaunchRange> found;
  auto stretch = stretches.begin();
  for (const RunPart& part : summary.structure.parts) {
    const LaunchRange pass = range_of(part);
    while (stretch != stretches.end() && stretch->end <= pass.first) ++stretch;
    const bool is_in_stretch = stretch != stretches.end() && stretch->first <= pass.first;
    if (part.period > 0 || is_in_stretch) continue;
    const bool joins = !found.empty() && found.back().end == pass.first &&
                       sums.operations({found.back().first, pass.end}) <= kMostLaunches;
    if (joins)
      found.back().end = pass.end;
    else
      found.push_back(pass);
  }
  return found;
}

/// Returns the phases of single passes: first those in which kernels take most of the time, then the rest.
std::vector<LaunchRange> passes_of(const RunSummary& summary, const RunSums& sums) {
  constexpr double kMost = 0.5;
  std::vector<LaunchRange> passes = Stretches(summary, sums, kMost).found();
  if (passes.empty()) passes = Stretches(summary, sums, 0).found();
  const std::vector<LaunchRange> others = rest(summary, sums, passes);
  passes.insert(passes.end(), others.begin(), others.end());
  return passes;
}

/// Divides the phases into those that are measured (choice.measured) and those that are not (choice.left).
class Selection {
 public:
  Selection(const RunLog& log, const RunSums& sums, const RunSummary& summary, const PhaseBudget& budget)
      : log_(log), sums_(sums), budget_(budget), run_ns_(summary.times.busy_ns) {}

  /// Adds the phases of a run, in the order in which they are to be measured.
  void add_all(std::vector<Candidate> candidates) {
    for (const Candidate& candidate : candidates)
      if (candidate.has_kernels) kernel_phases_ns_ += candidate.facts.part_ns;
    for (Candidate& candidate : candidates) add(std::move(candidate));
    for (const size_t phase : too_long_)
      choice.left[phase].why =
          fmt::format("it does not fit into the time limit; --time-limit {:.0f} suffices for all phases",
                      std::ceil(needed_s_));
    sample_loops();
    share_rounds();
  }

  PhaseChoice choice;

 private:
  void add(Candidate candidate) {
    PartFacts& facts = candidate.facts;
    set_run_share(facts);
    if (const std::string why = hindrance(candidate); !why.empty()) {
      choice.left.push_back({facts, why});
      return;
    }
    const double least_s = Selection::least_s(facts);
    needed_s_ += least_s;
    if (least_s_ + least_s > budget_.time_limit_s) {
      too_long_.push_back(choice.left.size());
      choice.left.push_back({facts, {}});
      return;
    }
    least_s_ += least_s;
    measured_ns_ += facts.part_ns;
    choice.measured.push_back(chosen(candidate, choice.measured.size() + 1));
    if (facts.iterations_differ()) differing_.emplace_back(choice.measured.size() - 1, std::move(candidate));
  }

  ChosenPhase chosen(const Candidate& candidate, size_t number) const {
    const auto phase = static_cast<uint32_t>(number);
    return {candidate.facts,
            candidate.loop != nullptr
                ? pattern_of_iteration(phase, candidate.measured, *candidate.loop, log_, sums_)
                : pattern_of_pass(phase, candidate.measured, log_, sums_)};
  }

  /// For each loop whose iterations differ, measures several iterations instead of one, if the time limit
  /// allows.
  void sample_loops() {
    for (const auto& [place, loop] : differing_) {
      std::vector<Candidate> samples = samples_of(loop, budget_.samples, sums_);
      double more_s = -least_s(loop.facts);
      for (Candidate& sample : samples) {
        set_run_share(sample.facts);
        more_s += least_s(sample.facts);
      }
      if (samples.empty() || least_s_ + more_s > budget_.time_limit_s) continue;
      least_s_ += more_s;
      choice.measured[place] = chosen(samples.front(), place + 1);
      for (size_t i = 1; i < samples.size(); ++i)
        choice.measured.push_back(chosen(samples[i], choice.measured.size() + 1));
    }
  }

  void set_run_share(PartFacts& facts) const {
    if (run_ns_ > 0) facts.run_share = static_cast<double>(facts.part_ns) / static_cast<double>(run_ns_);
  }

  std::string hindrance(const Candidate& candidate) const {
    if (!candidate.has_kernels && candidate.facts.run_share < kLeastCopies)
      return fmt::format("it has no kernels, and less than {:.0f} % of the GPU time", 100 * kLeastCopies);
    if (!candidate.unmeasurable.empty()) return candidate.unmeasurable;
    if (candidate.has_kernels && candidate.facts.run_share < budget_.large &&
        static_cast<double>(measured_ns_) >= budget_.share * static_cast<double>(kernel_phases_ns_))
      return fmt::format("it was not necessary, because the other phases contain {:.0f} % of the GPU time",
                         100 * budget_.share);
    return {};
  }

  static double seconds_of(const PartFacts& facts, double fixed_s, double iterations) {
    return fixed_s + iterations * static_cast<double>(facts.measured_ns) * 1e-9;
  }
  static double rounds_s(const PartFacts& facts) { return seconds_of(facts, kRounds_s, kRoundsIterations); }
  static double beside_rounds_s(const PartFacts& facts) {
    return seconds_of(facts, kBesideRounds_s, kBesideRoundsIterations);
  }

  static double least_s(const PartFacts& facts) {
    return beside_rounds_s(facts) + kLeastRounds * rounds_s(facts);
  }

  /// Divides the remaining time among the rounds of the phases.
  void share_rounds() {
    double all_s = 0, beside_s = 0;
    for (const ChosenPhase& phase : choice.measured) {
      all_s += rounds_s(phase.facts);
      beside_s += beside_rounds_s(phase.facts);
    }
    const double share = std::clamp((budget_.time_limit_s - beside_s) / all_s, kLeastRounds, kMostRounds);
    for (ChosenPhase& phase : choice.measured) {
      phase.rounds_s = share * rounds_s(phase.facts);
      if (phase.facts.run_share > 0)
        phase.pooled_precision = std::min(kMostPooled, std::round(4 / std::sqrt(phase.facts.run_share)) / 4);
    }
  }

  const RunLog& log_;
  const RunSums& sums_;
  PhaseBudget budget_;
  int64_t run_ns_ = 0, measured_ns_ = 0;
  int64_t kernel_phases_ns_ = 0;  ///< GPU time of all phases that have kernels
  double least_s_ = 0;            ///< least time for the phases that are measured
  double needed_s_ = 0;           ///< least time for these and the phases beyond the time limit
  std::vector<size_t> too_long_;  ///< indices in choice.left of the phases beyond the time limit
  /// The chosen loops whose iterations differ, with their indices in choice.measured.
  std::vector<std::pair<size_t, Candidate>> differing_;
};

std::vector<Candidate> loops_of(const RunSummary& summary, const RunSums& sums) {
  std::vector<Candidate> loops;
  for (const KindSummary& kind : summary.kinds)
    if (kind.period > 0)
      loops.push_back(candidate_of(kind, longest_part(kind.kind, summary.structure, sums), sums));
  return loops;
}

/// Chooses among candidates: first those with kernels, in the order of GPU time, then the rest.
PhaseChoice choose(std::vector<Candidate> candidates, Selection selection) {
  std::erase_if(candidates, [](const Candidate& candidate) { return candidate.facts.part_ns == 0; });
  std::ranges::stable_sort(candidates, std::ranges::greater{}, [](const Candidate& candidate) {
    return std::pair(candidate.has_kernels, candidate.facts.part_ns);
  });
  selection.add_all(std::move(candidates));
  return std::move(selection.choice);
}

}  // namespace

PhaseChoice choose_phases(const RunLog& log, const RunSummary& summary, const PhaseBudget& budget) {
  const RunSums sums(log);
  std::vector<Candidate> candidates = loops_of(summary, sums);
  for (const LaunchRange& pass : passes_of(summary, sums))
    candidates.push_back(candidate_of_pass(pass, sums));
  return choose(std::move(candidates), Selection(log, sums, summary, budget));
}

std::vector<ChosenPhase> choose_loops(const RunLog& log, const RunSummary& summary) {
  const RunSums sums(log);
  const PhaseBudget unlimited{
      .time_limit_s = std::numeric_limits<double>::infinity(), .share = 1, .samples = 1};
  return choose(loops_of(summary, sums), Selection(log, sums, summary, unlimited)).measured;
}

std::string part_text(const PartFacts& facts) {
  if (facts.is_window()) return fmt::format("launches {}..{} (a window of the run)", facts.first, facts.end);
  const std::string what =
      facts.samples > 0
          ? fmt::format("one of {} measured iterations of a loop; represents {} iterations with",
                        facts.samples, facts.iterations)
      : facts.is_loop ? fmt::format("one of {} iterations of a loop with", facts.iterations)
                      : "single pass,";
  return fmt::format("launches {}..{} ({} {:.0f} % of the GPU time)", facts.first, facts.end, what,
                     100 * facts.run_share);
}

}  // namespace kjoule
