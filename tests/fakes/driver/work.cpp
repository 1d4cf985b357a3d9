#include "work.hpp"

#include <algorithm>
#include <cstring>

#include "devices.hpp"
#include "energy.hpp"
#include "entry.hpp"
#include "graphs.hpp"
#include "hooks.hpp"
#include "objects.hpp"

namespace stand_in {

namespace {

constexpr double kDeviceBytesANs = 200;
constexpr double kHostBytesANs = 20;

void report(Activity activity, double begin_ns, const Position& position, const Origin& origin) {
  activity.begin_ns = static_cast<int64_t>(begin_ns);
  activity.end_ns = static_cast<int64_t>(position.free_ns);
  activity.context = Running::context() == nullptr ? 0 : Running::context()->id;
  activity.device = Running::device();
  activity.stream = origin.stream;
  activity.correlation = current_correlation();
  activity.graph_node = origin.node;
  activity.graph = origin.graph;
  if (const auto hook = hooks().activity.load()) hook(activity);
}

void run(const EmptyWork&, Position&, const Origin&) {}
void run(const WaitWork&, Position&, const Origin&) {}
void run(const ConditionalWork&, Position&, const Origin&) {}
void run(const FreeWork&, Position&, const Origin&) {}
void run(const AllocateWork& work, Position&, const Origin&) {
  Memory::device().map(work.address, work.bytes);  // mapped at the first launch only
}

void run(const KernelWork& work, Position& position, const Origin& origin) {
  const Kernel& kernel = *work.function->callable.kernel;
  Access access;
  running_kernel() = {position.free_ns, 0};
  try {
    kernel.run(access, work.dimensions, work.arguments.data());
  } catch (const IllegalAddress& fault) {
    throw IllegalAddress(kernel.name + ": " + fault.what());
  }
  const RunningKernel ran = running_kernel();
  position.free_ns = ran.now_ns();
  const double duration = run_at(position, identity_of(kernel.name), access.bytes(), kDeviceBytesANs);
  if (kernel.name.starts_with("nccl")) use_links();
  spend(ran.waits_ns, kWaiting_w);
  spend(duration, power_of(kernel.name));
  Activity activity;
  activity.name = kernel.name.c_str();
  activity.grid = work.dimensions.grid;
  activity.block = work.dimensions.block;
  activity.shared_bytes = work.shared_bytes;
  report(activity, ran.begin_ns, position, origin);
}

bool on_host(CUmemorytype type, CUdeviceptr address) {
  return type == CU_MEMORYTYPE_HOST || (type == CU_MEMORYTYPE_UNIFIED && !Memory::device().holds(address, 1));
}

/// One end of a strided copy.
struct End {
  bool host;
  std::byte* first;
  size_t pitch, slice;  ///< bytes from one row to the next, and from one slice to the next
  std::byte* row(size_t y, size_t z) const { return first + z * slice + y * pitch; }
};

End source(const CUDA_MEMCPY3D& shape) {
  const bool host = on_host(shape.srcMemoryType, shape.srcDevice);
  const auto base =
      shape.srcMemoryType == CU_MEMORYTYPE_HOST ? reinterpret_cast<uint64_t>(shape.srcHost) : shape.srcDevice;
  const size_t slice = shape.srcPitch * std::max(shape.srcHeight, shape.srcY + shape.Height);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto* first = reinterpret_cast<std::byte*>(base) + shape.srcXInBytes + shape.srcY * shape.srcPitch;
  return {host, first + shape.srcZ * slice, shape.srcPitch, slice};
}

End target(const CUDA_MEMCPY3D& shape) {
  const bool host = on_host(shape.dstMemoryType, shape.dstDevice);
  const auto base =
      shape.dstMemoryType == CU_MEMORYTYPE_HOST ? reinterpret_cast<uint64_t>(shape.dstHost) : shape.dstDevice;
  const size_t slice = shape.dstPitch * std::max(shape.dstHeight, shape.dstY + shape.Height);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto* first = reinterpret_cast<std::byte*>(base) + shape.dstXInBytes + shape.dstY * shape.dstPitch;
  return {host, first + shape.dstZ * slice, shape.dstPitch, slice};
}

bool reachable(const End& end, const CUDA_MEMCPY3D& shape) {
  if (end.host) return true;
  const std::byte* last = end.row(shape.Height - 1, shape.Depth - 1) + shape.WidthInBytes;
  const auto first = reinterpret_cast<uint64_t>(end.first);
  const auto bytes = static_cast<size_t>(last - end.first);
  return Memory::device().holds(first, bytes) || HostMemory::mapped().holds(first, bytes);
}

bool is_pageable(const End& end) {
  return end.host && !HostMemory::mapped().holds(reinterpret_cast<uint64_t>(end.first), 1);
}

/// Returns whether device memory is that of another device, in this or another process.
bool is_of_peer(uint64_t address) {
  return !Memory::device().holds(address, 1) || Memory::device().device_of(address) != Running::number();
}

void run(const CopyWork& work, Position& position, const Origin& origin) {
  const End from = source(work.shape);
  const End to = target(work.shape);
  if (!can_copy(work.shape)) throw IllegalAddress("copy outside of all memory");
  for (size_t z = 0; z < work.shape.Depth; ++z)
    for (size_t y = 0; y < work.shape.Height; ++y)
      std::memmove(to.row(y, z), from.row(y, z), work.shape.WidthInBytes);
  Activity activity;
  activity.kind = Activity::Kind::copy;
  activity.bytes = work.shape.WidthInBytes * work.shape.Height * work.shape.Depth;
  activity.from_host = from.host;
  activity.to_host = to.host;
  activity.pageable = is_pageable(from) || is_pageable(to);
  static const uint64_t name = identity_of("copy");
  const double duration = run_at(position, name + 2 * from.host + 4 * to.host, activity.bytes,
                                 from.host || to.host ? kHostBytesANs : kDeviceBytesANs);
  if (!to.host && is_of_peer(reinterpret_cast<uint64_t>(to.first))) use_links();
  spend(duration, power_of("copy"));
  report(activity, position.free_ns - duration, position, origin);
}

void run(const SetWork& work, Position& position, const Origin& origin) {
  const CUDA_MEMSET_NODE_PARAMS& what = work.what;
  const size_t row_bytes = what.width * what.elementSize;
  for (size_t y = 0; y < what.height; ++y) {
    if (!Memory::device().holds(what.dst + y * what.pitch, row_bytes)) throw IllegalAddress("memset outside");
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    auto* row = reinterpret_cast<std::byte*>(what.dst + y * what.pitch);
    if (what.elementSize == 1) {
      std::memset(row, static_cast<unsigned char>(what.value), what.width);
      continue;
    }
    for (size_t i = 0; i < what.width; ++i)
      std::memcpy(row + i * what.elementSize, &what.value, what.elementSize);
  }
  Activity activity;
  activity.kind = Activity::Kind::set;
  activity.bytes = row_bytes * what.height;
  activity.value = what.value;
  static const uint64_t name = identity_of("set");
  const double duration = run_at(position, name, activity.bytes, kDeviceBytesANs);
  spend(duration, power_of("set"));
  report(activity, position.free_ns - duration, position, origin);
}

void run(const RecordWork& work, Position& position, const Origin&) {
  drain_at(position);
  work.event->time_ns = position.free_ns;
}

void run(const ChildWork& work, Position& position, const Origin& origin) {
  run_graph(*work.graph, position, origin);
}

void run(const HostWork& work, Position&, const Origin&) {
  work.what.fn(work.what.userData);
}

}  // namespace

void run(const Work& work, Position& position, const Origin& origin) {
  std::visit([&](const auto& what) { run(what, position, origin); }, work);
}

bool can_copy(const CUDA_MEMCPY3D& shape) {
  return reachable(source(shape), shape) && reachable(target(shape), shape);
}

bool reads_pageable_memory(const CUDA_MEMCPY3D& shape) {
  return is_pageable(source(shape));
}

CUDA_MEMCPY3D linear_copy(size_t bytes) {
  CUDA_MEMCPY3D shape{};
  shape.WidthInBytes = bytes;
  shape.Height = shape.Depth = 1;
  return shape;
}

CUDA_MEMCPY3D copy_of_2d(const CUDA_MEMCPY2D& flat) {
  CUDA_MEMCPY3D shape = linear_copy(flat.WidthInBytes);
  shape.Height = flat.Height;
  shape.srcXInBytes = flat.srcXInBytes;
  shape.srcY = flat.srcY;
  shape.srcMemoryType = flat.srcMemoryType;
  shape.srcHost = flat.srcHost;
  shape.srcDevice = flat.srcDevice;
  shape.srcPitch = flat.srcPitch;
  shape.dstXInBytes = flat.dstXInBytes;
  shape.dstY = flat.dstY;
  shape.dstMemoryType = flat.dstMemoryType;
  shape.dstHost = flat.dstHost;
  shape.dstDevice = flat.dstDevice;
  shape.dstPitch = flat.dstPitch;
  return shape;
}

namespace {

/// Reads the packed arguments from `extra`.
bool read_packed(void* const* extra, std::vector<std::byte>& arguments) {
  const std::byte* first = nullptr;
  size_t bytes = 0;
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) first = static_cast<const std::byte*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const size_t*>(extra[1]);
  }
  if (first == nullptr || bytes < arguments.size()) return false;
  std::copy_n(first, arguments.size(), arguments.begin());
  return true;
}

}  // namespace

CUresult make_kernel_work(CUfunction function, const Dimensions& dimensions, unsigned shared_bytes,
                          void* const* parameters, void* const* extra, KernelWork& work) {
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  constexpr size_t kMostThreads = 1024;
  const size_t threads = size_t{dimensions.block[0]} * dimensions.block[1] * dimensions.block[2];
  if (dimensions.threads() == 0 || threads > kMostThreads) return CUDA_ERROR_INVALID_VALUE;
  if (shared_bytes > static_cast<unsigned>(function->callable.shared_limit)) return CUDA_ERROR_INVALID_VALUE;
  const Kernel& kernel = *function->callable.kernel;
  work.function = function;
  work.dimensions = dimensions;
  work.shared_bytes = shared_bytes;
  work.arguments.resize(kernel.bytes);
  if (kernel.parameters.empty()) return CUDA_SUCCESS;
  if (parameters == nullptr)
    return read_packed(extra, work.arguments) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto [offset, size] = kernel.parameters[i];
    std::memcpy(work.arguments.data() + offset, parameters[i], size);
  }
  return CUDA_SUCCESS;
}

}  // namespace stand_in
