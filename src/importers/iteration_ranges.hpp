#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

struct ProfilerTrace;

/// The host's time in which an iteration's work was launched.
struct IterationRange {
  std::string name;
  int64_t begin_ns = 0, end_ns = 0;
};

/// Ranges that follow one another. Work is an iteration's when it was launched within its range: the device
/// runs it later, often after the range's end.
class IterationRanges {
 public:
  IterationRanges() = default;
  /// Throws Error naming two that overlap; `file` is what it calls the trace.
  IterationRanges(std::vector<IterationRange> ranges, const std::string& file);

  bool empty() const { return ranges_.empty(); }
  size_t size() const { return ranges_.size(); }
  const IterationRange& operator[](size_t i) const { return ranges_[i]; }
  /// The one that holds a moment of the host; its end belongs to what follows.
  std::optional<uint32_t> at(int64_t host_ns) const;

 private:
  std::vector<IterationRange> ranges_;
};

/// ProfilerStep#N ranges of a trace.
IterationRanges profiler_steps(const ProfilerTrace& trace, const std::string& file);
/// Ranges of one name. Throws Error with names that there are when none has it.
IterationRanges annotated(const ProfilerTrace& trace, const std::string& name, const std::string& file);

}  // namespace kjoule
