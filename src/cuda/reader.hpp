#pragma once
#include <cupti.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cuda/call.hpp"

namespace kjoule::driver {

/// How kjoule handles a driver call. Calls of kind `none` are ignored.
enum class Interest : uint8_t {
  none,
  launch,
  allocate,
  release,
  instantiate,
  capture_begin,
  capture_end,
  change_graph,
  destroy_graph,
  destroy_stream,
  record_event,
  wait_for_event,
  allocate_managed,
  refuse
};

/// Returns how a callback of the driver's domain is handled. It is called at every such callback.
Interest interest_of(CUpti_CallbackId id);
/// Returns all callbacks that are not ignored.
std::vector<std::pair<CUpti_CallbackId, Interest>> interests();

/// A kernel launch whose arguments are still in the program's memory.
struct KernelView {
  CUfunction function = nullptr;
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  unsigned shared_bytes = 0;
  void* const* arguments = nullptr;   ///< one pointer for each argument; null if `packed` is used
  const std::byte* packed = nullptr;  ///< all arguments in one buffer; null if `arguments` is used
  size_t packed_bytes = 0;
  const CUlaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
  bool cooperative = false;
};

struct GraphView {
  CUgraphExec graph = nullptr;
};

/// A launch that the program is about to make. Host ends of copies still refer to the program's memory.
struct LaunchView {
  std::variant<KernelView, CopyCall, SetCall, GraphView> what;
  CUstream stream = nullptr;
};

/// Returns the launch that a driver call makes. Throws Error, with the name of the call, when it cannot be
/// replayed.
LaunchView read_launch(CUpti_CallbackId id, const void* parameters);

/// Reads the packed argument buffer from the `extra` parameter of a launch.
void read_packed(void* const* extra, KernelView& view);

/// Returns the address and size in bytes of a successful allocation, or {0, 0} if it failed.
std::pair<CUdeviceptr, size_t> read_allocation(CUpti_CallbackId id, const void* parameters);
/// Returns event and stream of a call that records an event or makes a stream wait for one.
std::pair<CUevent, CUstream> read_event(CUpti_CallbackId id, const void* parameters);
CUdeviceptr read_release(CUpti_CallbackId id, const void* parameters);

/// The descriptions of functions by handle. Each function is described once.
class Functions {
 public:
  const std::shared_ptr<const Function>& of(CUfunction handle);

 private:
  std::unordered_map<CUfunction, std::shared_ptr<const Function>> known_;
};

/// Returns a copy of the launch that remains valid after the program's call: it contains the packed arguments
/// and the data that the host sends. Must not be called for graphs.
Call keep(const LaunchView& view, Functions& functions);

struct LaunchHashes {
  uint64_t signature;
  uint64_t arguments;
};
/// Return the hashes of a launch. Must not be called for graphs.
LaunchHashes hashes(const LaunchView& view, Functions& functions);
LaunchHashes hashes(const Call& call);

}  // namespace kjoule::driver
