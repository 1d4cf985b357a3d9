#pragma once
#include <cupti.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cuda/call.hpp"

namespace kjoule::driver {

/// What a driver call is to us. Everything else passes unseen.
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

/// Of a callback of the driver's domain; asked at every one of them.
Interest interest_of(CUpti_CallbackId id);
/// All callbacks that matter.
std::vector<std::pair<CUpti_CallbackId, Interest>> interests();

/// A kernel launch whose arguments still lie where the program put them.
struct KernelView {
  CUfunction function = nullptr;
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  unsigned shared_bytes = 0;
  void* const* arguments = nullptr;   ///< one pointer each, or
  const std::byte* packed = nullptr;  ///< all in one buffer
  size_t packed_bytes = 0;
  const CUlaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
  bool cooperative = false;
};

struct GraphView {
  CUgraphExec graph = nullptr;
};

/// A launch as the program is about to make it; copies and sets are small enough to be read at once, but a
/// host end still names the program's memory.
struct LaunchView {
  std::variant<KernelView, CopyCall, SetCall, GraphView> what;
  CUstream stream = nullptr;
};

/// Throws Error for a launch of a kind that cannot be replayed, naming it.
LaunchView read_launch(CUpti_CallbackId id, const void* parameters);

/// Finds the buffer in what launches call `extra`.
void read_packed(void* const* extra, KernelView& view);

/// Address and bytes of what an allocating call has just allocated; {0, 0} when it failed.
std::pair<CUdeviceptr, size_t> read_allocation(CUpti_CallbackId id, const void* parameters);
/// Of a call that records an event or lets a stream wait for one.
std::pair<CUevent, CUstream> read_event(CUpti_CallbackId id, const void* parameters);
CUdeviceptr read_release(CUpti_CallbackId id, const void* parameters);

/// Functions by handle, described once.
class Functions {
 public:
  const std::shared_ptr<const Function>& of(CUfunction handle);

 private:
  std::unordered_map<CUfunction, std::shared_ptr<const Function>> known_;
};

/// A copy that outlives the program's call: arguments packed, what the host sends copied. Not for graphs.
Call keep(const LaunchView& view, Functions& functions);

struct LaunchHashes {
  uint64_t signature;
  uint64_t arguments;
};
/// Not for graphs.
LaunchHashes hashes(const LaunchView& view, Functions& functions);
LaunchHashes hashes(const Call& call);

}  // namespace kjoule::driver
