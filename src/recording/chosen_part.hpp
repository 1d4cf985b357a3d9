#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recording/loop_iterations.hpp"
#include "recording/run_log.hpp"
#include "recording/run_summary.hpp"

namespace kjoule {

/// A part of a run, and those of its launches that are measured as one iteration: an iteration of a loop, or
/// the launches of a single pass. Launches have numbers as in --iterations: a graph counts as its nodes. GPU
/// times are busy times by CUPTI.
struct PartFacts {
  bool is_loop = false;
  uint64_t first = 0, end = 0;              ///< the measured launches; `end` is not included
  uint64_t iterations = 1;                  ///< of the loop, in all its runs
  double run_share = 0;                     ///< of the run's GPU time that is the part's
  int64_t measured_ns = 0;                  ///< GPU time of the measured launches
  int64_t part_ns = 0;                      ///< GPU time of the whole part
  std::optional<IterationSpread> spread{};  ///< nothing if fewer than two iterations are known

  uint64_t launches() const { return end - first; }
  /// Returns whether the loop's iterations differ so much that one cannot stand for all.
  bool iterations_differ() const { return is_loop && spread && spread->share() > IterationSpread::kLargest; }
  bool operator==(const PartFacts&) const = default;
};
template <class Fields>
void describe(Fields& fields, PartFacts& facts) {
  fields("is_loop", facts.is_loop);
  fields("first_launch", facts.first);
  fields("end_launch", facts.end);
  fields("iterations", facts.iterations);
  fields("run_share", facts.run_share);
  fields("measured_busy_ns", facts.measured_ns);
  fields("part_busy_ns", facts.part_ns);
  fields("spread", facts.spread);
}

/// The device operations of one launch of the host.
struct PartLaunch {
  uint32_t operations = 1;         ///< 1, or the number of nodes of a graph
  std::vector<std::string> names;  ///< of the operations, sorted; empty if they are not known
};

/// A part that can be measured when the program is started again.
struct ChosenPart {
  PartFacts facts;
  /// Iterations of the loop that directly precede the measured one and have the same launches, without the
  /// first iteration of the loop; at most 5.
  uint64_t preceding = 0;
  std::vector<PartLaunch> launches;  ///< that are measured
};

/// Returns the parts with the most GPU time, the first one first; at most 2. None has less time than a loop
/// that cannot be measured, or less than a tenth of the time of all kernels.
///
/// Of a loop, an iteration with the median GPU time is measured. It is complete in the log, and not among the
/// first ones if there are enough.
///
/// A single pass is a row of the structure's passes, which are cut where the host waits: those in which
/// kernels take most of the time, also with at most 8 other launches between two of them. So a `generate`
/// that reads every token is one pass, and the copies of a model's weights before it are not a part of it. If
/// there is no such pass, those with any kernel count. A pass has at most 50,000 launches.
std::vector<ChosenPart> choose_parts(const RunLog& log, const RunSummary& summary);

/// Returns the number of the first launch of the part that differs in name from the recorded ones; nothing if
/// all are equal. The nodes of a graph may have any order.
std::optional<uint64_t> first_other_launch(const ChosenPart& part, const std::vector<std::string>& recorded);

/// Returns e.g. "launches 1200..1731 (single pass, 93 % of the GPU time)".
std::string part_text(const PartFacts& facts);

}  // namespace kjoule
