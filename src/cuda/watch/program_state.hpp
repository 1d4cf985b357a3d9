#pragma once
#include <cupti.h>

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "cuda/calls/driver_calls.hpp"
#include "cuda/calls/function_table.hpp"
#include "cuda/calls/graphs.hpp"
#include "cuda/calls/launch_identities.hpp"
#include "cuda/calls/stream_captures.hpp"
#include "cuda/driver/allocations.hpp"
#include "cuda/driver/shared_memory.hpp"
#include "cuda/watch/module_globals.hpp"

namespace kjoule::cuda {

/// A launch that the program is about to make.
struct SeenLaunch {
  LaunchView view;
  uint64_t shape_hash = 0;  ///< see LaunchHashes; for a graph, of all its launches
  /// Hash of the parameters that are addresses in allocated memory; for a graph, of all arguments of its
  /// launches.
  uint64_t address_hash = 0;
  uint64_t launches = 1;     ///< 1, or the number of launches of a graph
  uint64_t collectives = 0;  ///< number of collectives among these launches

  /// Returns a number that is equal for equal launches, and different for a copy and a memset of the same
  /// size.
  uint64_t key() const { return shape_hash + view.what.index(); }
};

/// The results of the program's driver calls so far: its memory, functions and graphs, and the captures in
/// progress. Not thread-safe.
class ProgramState {
 public:
  /// `gpu` is the device number of the measured GPU; only memory of this GPU is registered. Without a number,
  /// memory of all GPUs is registered.
  explicit ProgramState(std::optional<int> gpu = {}) : gpu_(gpu) {}
  /// A launch that a driver call makes, or memory that it frees.
  struct Effect {
    std::optional<SeenLaunch> launch;  ///< nothing if the launch is captured
    CUcontext destroyed = nullptr;     ///< the context that the call destroys
    std::vector<Allocation> freed;     ///< except for pinned host memory that no launch was given
  };
  /// The device number of the measured GPU; nothing if all are considered.
  std::optional<int> gpu() const { return gpu_; }
  /// Considers only this GPU from now on. So far, all memory must be of this GPU.
  void measure_only(int gpu) {
    gpu_ = gpu;
    on_measured_gpu_.clear();
  }
  /// Exchanges the measured GPU and its memory with another state.
  void exchange_gpus(ProgramState& other);
  /// Registers a driver call that begins.
  Effect on_enter(CUpti_CallbackId id, const CUpti_CallbackData& data);
  /// Registers a driver call that was successful.
  void on_success(CUpti_CallbackId id, const CUpti_CallbackData& data);

  /// Registers that an allocation no longer exists.
  void remove(const Allocation& allocation) { allocations_.remove(allocation.address); }
  /// Returns whether an allocation or release becomes a node of a graph that is being captured.
  bool is_captured(CUpti_CallbackId id, const CUpti_CallbackData& data) const;

  /// Returns whether a context is on the measured GPU. It must be the current context of the calling thread.
  bool is_on_measured_gpu(CUcontext context);
  const Allocations& allocations() const { return allocations_; }
  /// Adds machine code that the driver has loaded. Any thread may call it at any time.
  void add_module(const void* cubin, size_t bytes) { globals_.add_module(cubin, bytes); }
  /// The memory that launches may change: device memory, pinned host memory that launches have been given,
  /// and variables of modules.
  struct Changeable {
    std::vector<Allocation> allocations;
    Containers modules;
  };
  Changeable changeable();
  /// Registers that launches use the pinned memory in files through which NCCL moves data between GPUs that
  /// cannot access each other. No launch is given the addresses of this memory. Every rank restores it.
  void use_files_of_nccl();
  /// Returns the ranges of `changeable` memory on the measured GPU, sorted; sizes are multiples of 16 bytes.
  /// Needs a current context. One thread at a time may call it, at any time.
  std::vector<Allocation> memory(Changeable changeable);
  const Graphs& graphs() const { return graphs_; }
  /// Returns the number of the program's CUDA arrays (textures, surfaces). Their contents are not known.
  int64_t arrays() const;
  /// Returns whether the program has ever set attributes of a stream.
  bool has_stream_attributes() const { return has_stream_attributes_; }
  const SharedMemory& shared() const { return shared_; }
  const StreamCaptures& captures() const { return captures_; }
  FunctionTable& functions() { return functions_; }
  const LaunchIdentity& identity(const SeenLaunch& launch) {
    return identities_.get(launch.key(), launch.view, functions_, graphs_);
  }

 private:
  /// Forgets what belongs to a context that the program destroys: its memory, and its functions and modules,
  /// whose handles the driver may reuse.
  void forget(CUcontext context);
  /// Forgets memory of pools and mapped memory that the driver has released together with a context.
  void forget_released();
  void on_allocation(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void identify(SeenLaunch& launch);

  std::optional<int> gpu_;
  std::unordered_map<CUcontext, bool> on_measured_gpu_;  ///< cache; used only if gpu_ is set
  Allocations allocations_;
  std::set<uint64_t> host_used_;  ///< addresses of host allocations that launches have been given
  SharedMemory shared_;
  FunctionTable functions_;
  ModuleGlobals globals_;
  Graphs graphs_;
  LaunchIdentities identities_;
  StreamCaptures captures_;
  std::unordered_map<CUcontext, int64_t> arrays_;  ///< by the context in which they were created
  bool has_stream_attributes_ = false;
};

}  // namespace kjoule::cuda
