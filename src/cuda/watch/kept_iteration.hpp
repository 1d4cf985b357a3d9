#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cuda/calls/call.hpp"
#include "cuda/calls/dependencies.hpp"
#include "cuda/calls/driver_calls.hpp"
#include "cuda/calls/host_functions.hpp"
#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

class Cupti;
class ProgramState;
class SharedMemory;

/// The launches of an iteration, kept while the program makes them, and the reasons why they cannot be
/// replayed. Not thread-safe.
class KeptIteration {
 public:
  /// `is_shared` states whether all processes of the program record the iteration together.
  explicit KeptIteration(bool is_shared = false) : is_shared_(is_shared) {}
  /// Adds a launch that the program is about to make; a graph adds all its launches. If the launch cannot be
  /// kept, throw_if_incomplete() will throw. take_stream_calls() returns the functions that must be put into
  /// streams before the launch.
  void add(const LaunchView& launch, CUcontext context, ProgramState& state, const Cupti& cupti);
  /// Registers that the driver has refused the launch that this thread has added last. The program goes on
  /// without it, for example with a kernel that needs less shared memory.
  void add_failure();
  /// Removes the launches that failed. If `is_closed` is false, the number of launches before and after the
  /// measured ones is fixed, so that nothing is removed and the iteration is marked instead.
  void remove_failed(bool is_closed);
  std::vector<StreamCall> take_stream_calls() { return std::exchange(before_launch_, {}); }
  /// Registers a call that records an event or makes a stream wait for an event.
  void add_event(DriverCallKind kind, CUevent event, CUstream stream);
  /// Registers the successful end of a call in which the host may have waited for the device.
  void add_host_wait(CUpti_CallbackId id, const void* parameters);
  /// Register the beginning and the end of a call that puts a host function into a stream.
  void begin_host_function(CUstream stream) { before_launch_.push_back(host_functions_.begin(stream)); }
  std::optional<StreamCall> end_host_function() { return host_functions_.end(); }
  /// Marks the iteration as not replayable; only the first reason is kept. `what` completes the sentence "the
  /// iteration cannot be replayed: it ...".
  void mark_not_replayable(const std::string& what, const char* remedy);
  /// Marks the iteration as not replayable because it makes this call.
  void mark_calls(const char* call);
  /// Marks the iteration as not replayable if the program uses memory or events of other processes.
  void mark_shared(const SharedMemory& shared);

  /// Returns the Error that states why the iteration cannot be replayed; nothing if it can.
  const std::optional<Error>& not_replayable() const { return not_replayable_; }
  /// Throws Error if a launch could not be kept.
  void throw_if_incomplete() const;

  const std::vector<Call>& calls() const { return calls_; }
  /// Returns the memory that the iteration's graphs allocate for themselves. The ranges may overlap.
  const std::vector<Allocation>& memory_of_graphs() const { return memory_of_graphs_; }
  const HostFunctions& host_functions() const { return host_functions_; }
  /// Returns CUPTI's numbers of the per-thread default streams that the iteration used, by identity_of().
  const std::map<CUstream, uint32_t>& own_streams() const { return own_streams_; }

 private:
  /// Marks the iteration as not replayable if this kernel is a collective that cannot be replayed.
  void check_collective(const KernelCall& kernel);
  void add_launch(const LaunchView& launch, CUstream stream, StreamKind kind, ProgramState& state);
  void add_graph(const GraphView& graph, CUstream handle, StreamKind kind, ProgramState& state);
  /// Returns the program's copy, in which kjoule's own memory replaces the host end. Throws Error if the host
  /// has no free memory for it.
  Call make_copy(const CopyCall& copy, CUstream stream, ProgramState& state);
  void add(Call call, CUstream stream, std::vector<uint32_t> waits_for);

  bool is_shared_;
  std::vector<Call> calls_;
  Dependencies dependencies_;  ///< dependencies among calls_
  std::set<uint32_t> failed_;  ///< numbers of launches that the driver has refused
  std::vector<Allocation> memory_of_graphs_;
  HostFunctions host_functions_;
  std::vector<StreamCall> before_launch_;
  uint64_t host_bytes_ = 0;            ///< kjoule's own memory for host ends of copies
  std::optional<uint64_t> host_room_;  ///< free host memory in bytes; determined once copies are large
  std::map<CUstream, uint32_t> own_streams_;
  std::optional<Error> not_replayable_;
  std::optional<std::string> incomplete_;
};

}  // namespace kjoule::cuda
