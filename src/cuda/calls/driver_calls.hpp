#pragma once
#include <cupti.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "cuda/calls/call.hpp"
#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

/// The kind of a driver call, which determines how kjoule handles it.
enum class DriverCallKind : uint8_t {
  unknown,         ///< kjoule does not know the call; an iteration with this call cannot be replayed
  harmless,        ///< neither puts work on a device, nor orders it, nor changes memory that launches use
  not_replayable,  ///< an iteration with this call cannot be replayed
  launch,
  allocate,
  release,
  create_memory,  ///< creates physical memory, which is mapped later
  share,          ///< maps or unmaps memory of other processes, or opens their events (SharedMemory)
  instantiate,
  capture_begin,
  capture_end,
  change_graph,
  destroy_graph,
  destroy_stream,
  stream_attributes,  ///< sets attributes of a stream, which apply to kernels in it
  create_array,
  destroy_array,
  unload,
  destroy_context,  ///< an iteration with this call cannot be replayed
  host_function,
  record_event,
  wait_for_event
};

/// Returns the kind of the driver call that a callback reports. The function is called at every callback.
DriverCallKind driver_call_kind(CUpti_CallbackId id);
/// Returns whether read_launch() can read a call.
bool is_launch(CUpti_CallbackId id);

/// Driver calls in which the host waits for the device. An older CUPTI does not know all these calls.
inline constexpr std::array kWaitingCalls{
    CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize,    CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2,
    CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize,  CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2_ptds};

/// Returns whether the host waits for the device in this driver call.
inline bool waits_for_device(CUpti_CallbackId id) {
  return std::ranges::find(kWaitingCalls, static_cast<CUpti_driver_api_trace_cbid>(id)) !=
         kWaitingCalls.end();
}

/// All work of a context, as the target of a wait.
struct WholeContext {};
/// Returns the work for which the host has waited when a call ends: all work, a stream, or an event. Copies
/// from or to the host that are not asynchronous wait for their stream. Returns nothing for other calls.
std::optional<std::variant<WholeContext, CUstream, CUevent>> read_awaited(CUpti_CallbackId id,
                                                                          const void* parameters);

/// Returns whether a call queries the state of a stream or an event without waiting.
inline bool is_query(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuEventQuery || id == CUPTI_DRIVER_TRACE_CBID_cuStreamQuery ||
         id == CUPTI_DRIVER_TRACE_CBID_cuStreamQuery_ptsz;
}

/// Returns whether a driver call was successful; for callbacks that report the end of a call.
inline bool has_succeeded(const CUpti_CallbackData& data) {
  const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
  return result != nullptr && *result == CUDA_SUCCESS;
}

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
  std::variant<KernelView, CopyCall, MemsetCall, GraphView> what;
  CUstream stream = nullptr;
};

/// Returns the launch that a driver call makes. Throws Error, with the name of the call, if the launch cannot
/// be replayed.
LaunchView read_launch(CUpti_CallbackId id, const void* parameters);

/// Reads the packed argument buffer from the `extra` parameter of a launch.
void read_packed(void* const* extra, KernelView& view);

/// Returns the stream into which a call puts a host function.
CUstream read_host_function(CUpti_CallbackId id, const void* parameters);

/// Returns the memory that a successful call has allocated.
Allocation read_allocation(CUpti_CallbackId id, const void* parameters);
/// Repeats a call that failed to allocate device memory, and returns the result of the repeated call. Returns
/// CUDA_ERROR_NOT_SUPPORTED if the call does not allocate device memory.
CUresult repeat_allocation(CUpti_CallbackId id, const void* parameters);
/// Returns the event and the stream of a call that records an event or makes a stream wait for an event.
std::pair<CUevent, CUstream> read_event(CUpti_CallbackId id, const void* parameters);
/// Returns the range in which a call frees memory, as address and number of bytes. The call frees all
/// allocations that begin in this range.
std::pair<CUdeviceptr, size_t> read_release(CUpti_CallbackId id, const void* parameters);
/// Returns the module or library that a call unloads.
const void* read_unloaded(CUpti_CallbackId id, const void* parameters);
/// Returns the context that a call is about to destroy; null if there is none.
CUcontext read_destroyed(CUpti_CallbackId id, const void* parameters);
/// Returns the stream in which a call allocates or frees memory; nothing for calls that take effect at once.
std::optional<CUstream> stream_of_allocation(CUpti_CallbackId id, const void* parameters);

}  // namespace kjoule::cuda
