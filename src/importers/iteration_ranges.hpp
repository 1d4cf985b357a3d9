#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

struct ProfilerTrace;

/// The period of host time in which the work of one iteration was launched.
struct IterationRange {
  std::string name;
  int64_t begin_ns = 0, end_ns = 0;
};

/// Ranges that follow one another without overlap. A launch belongs to the range in which it was called; the
/// device often runs it after the end of that range.
class IterationRanges {
 public:
  IterationRanges() = default;
  /// Sorts the ranges by time. Throws Error that names the trace `file` and two ranges if these overlap.
  IterationRanges(std::vector<IterationRange> ranges, const std::string& file);

  bool empty() const { return ranges_.empty(); }
  size_t size() const { return ranges_.size(); }
  const IterationRange& operator[](size_t i) const { return ranges_[i]; }
  /// Returns the index of the range that contains a host time, or no value. The end of a range does not
  /// belong to it.
  std::optional<uint32_t> at(int64_t host_ns) const;

 private:
  std::vector<IterationRange> ranges_;
};

/// Returns the ProfilerStep#N ranges of a trace.
IterationRanges find_profiler_steps(const ProfilerTrace& trace, const std::string& file);
/// Returns the ranges with this name. If there are none, throws Error that lists some existing names.
IterationRanges find_annotated_ranges(const ProfilerTrace& trace, const std::string& name,
                                      const std::string& file);

/// Ranges of one name in which a program called all its launches.
struct CoveringRanges {
  std::string name;  ///< of the first range; numbers in the names of the others may differ
  IterationRanges ranges;
  size_t with_launches = 0;  ///< number of ranges in which a launch was called
};
/// Returns the annotations of the program that contain all launches, by the times of their calls in ascending
/// order. Ranges whose names differ in numbers only ("step 1", "step 2") are one annotation, if most of them
/// contain equally many launches. Annotations with overlapping ranges do not mark iterations, and neither do
/// those of frameworks ("Torch-Compiled Region") and of layers and blocks.
std::vector<CoveringRanges> find_covering_ranges(const ProfilerTrace& trace,
                                                 const std::vector<int64_t>& call_times_ns,
                                                 const std::string& file);

}  // namespace kjoule
