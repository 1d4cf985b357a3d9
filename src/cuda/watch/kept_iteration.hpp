#pragma once
#include <map>
#include <optional>
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
  /// `is_shared` is whether all processes of the program record the iteration together.
  explicit KeptIteration(bool is_shared = false) : is_shared_(is_shared) {}
  /// Adds a launch that the program is about to make; a graph adds all its launches. If it cannot be kept,
  /// throw_if_incomplete() says so. take_stream_calls() returns what is to be put into streams before it.
  void add(const LaunchView& launch, CUcontext context, ProgramState& state, const Cupti& cupti);
  std::vector<StreamCall> take_stream_calls() { return std::exchange(before_launch_, {}); }
  /// Takes note of a call that records an event or makes a stream wait for one.
  void add_event(DriverCallKind kind, CUevent event, CUstream stream);
  /// Takes note of the beginning and of the end of a call that puts a function of the host into a stream.
  void begin_host_function(CUstream stream) { before_launch_.push_back(host_functions_.begin(stream)); }
  std::optional<StreamCall> end_host_function() { return host_functions_.end(); }
  /// Takes note that the iteration cannot be replayed. The first reason counts: `what` it does.
  void mark_not_replayable(const std::string& what, const char* remedy);
  /// Takes note of a call that cannot be replayed.
  void mark_calls(const char* call);
  /// Takes note of memory and events of others that the program uses.
  void mark_shared(const SharedMemory& shared);

  /// Returns the Error that explains why the iteration cannot be replayed; nothing if it can.
  const std::optional<Error>& not_replayable() const { return not_replayable_; }
  /// Throws Error if a launch could not even be kept.
  void throw_if_incomplete() const;

  const std::vector<Call>& calls() const { return calls_; }
  /// Returns the memory that the graphs of the iteration allocate for themselves. The ranges may overlap each
  /// other.
  const std::vector<Allocation>& memory_of_graphs() const { return memory_of_graphs_; }
  const HostFunctions& host_functions() const { return host_functions_; }
  /// Returns CUPTI's numbers of the threads' own default streams that the iteration used, by identity_of().
  const std::map<CUstream, uint32_t>& own_streams() const { return own_streams_; }

 private:
  /// Marks the iteration as not replayable if this kernel is a collective that cannot be replayed.
  void check_collective(const KernelCall& kernel);
  void add_graph(const GraphView& graph, CUstream handle, StreamKind kind, ProgramState& state);
  /// Returns the program's copy with kjoule's own memory for a host end. Throws Error if the host has no room
  /// for it.
  Call make_copy(const CopyCall& copy, CUstream stream, ProgramState& state);
  void add(Call call, CUstream stream, std::vector<uint32_t> waits_for);

  bool is_shared_;
  std::vector<Call> calls_;
  Dependencies dependencies_;  ///< among calls_
  std::vector<Allocation> memory_of_graphs_;
  HostFunctions host_functions_;
  std::vector<StreamCall> before_launch_;
  uint64_t host_bytes_ = 0;            ///< of kjoule's own memory for host ends of copies
  std::optional<uint64_t> host_room_;  ///< for them; determined when the first ones are large
  std::map<CUstream, uint32_t> own_streams_;
  std::optional<Error> not_replayable_;
  std::optional<std::string> incomplete_;
};

}  // namespace kjoule::cuda
