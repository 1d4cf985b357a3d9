#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kjoule {

/// A stream of a GPU in a trace of XLA's profiler.
struct TrackStream {
  int64_t device = 0, stream = 0;
};

/// The names that a trace gives to its processes and threads (metadata events). XLA's profiler writes the
/// work of a GPU as threads "Stream #N" of a process "/device:GPU:N"; its other threads ("XLA Modules") show
/// the same work once more.
class TraceTracks {
 public:
  /// Keep the name of a process or a thread. All arguments are JSON text that must outlive this object.
  void name_process(std::string_view process, std::string_view name);
  void name_thread(std::string_view process, std::string_view thread, std::string_view name);

  /// Adds the names of a later part of the trace, which replace earlier ones.
  void append(const TraceTracks& later);

  /// Returns the stream of a GPU that a thread of XLA's profiler is; no value for other threads.
  std::optional<TrackStream> stream_of(std::string_view process, std::string_view thread) const;
  /// Returns whether the trace has streams of GPUs, as XLA's profiler writes them.
  bool has_streams() const;
  /// Returns whether a process of the trace is a device and not a program, by its name.
  bool is_device(std::string_view process) const;
  /// Returns the name of a process; empty if it has none.
  std::string process_name(std::string_view process) const;
  /// Returns whether the name of a process contains `word`.
  bool names_process_with(std::string_view word) const;

 private:
  std::map<std::string_view, std::string> processes_;
  std::map<std::string_view, int64_t> gpus_;  ///< number of the GPU for each process that XLA names so
  std::map<std::pair<std::string_view, std::string_view>, int64_t> streams_;
};

}  // namespace kjoule
