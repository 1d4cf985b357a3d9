#include "cuda/watch/program_state.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "cuda/calls/launch_pointers.hpp"
#include "cuda/calls/sent_bytes.hpp"
#include "cuda/driver/file_mappings.hpp"

namespace kjoule::cuda {

namespace {

/// Returns whether memory is on another GPU than `gpu`: memory of a peer that this GPU maps, or a variable of
/// a module of another GPU. This GPU may be unable to reach it, and the other GPU restores it.
bool is_on_other_gpu(const Allocation& memory, int gpu) {
  if (memory.kind == MemoryKind::host || memory.kind == MemoryKind::managed) return false;
  int owner = gpu;
  return cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory.address) == CUDA_SUCCESS &&
         owner != gpu;
}

}  // namespace

void ProgramState::exchange_gpus(ProgramState& other) {
  std::swap(gpu_, other.gpu_);
  std::swap(allocations_, other.allocations_);
  std::swap(host_used_, other.host_used_);
  on_measured_gpu_.clear();
  other.on_measured_gpu_.clear();
}

ProgramState::Effect ProgramState::on_enter(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  Effect effect;  // the only return value, because it is large and this function is called at every launch
  switch (driver_call_kind(id)) {
    case DriverCallKind::launch: {
      SeenLaunch& launch = effect.launch.emplace();
      launch.view = read_launch(id, data.functionParams);
      if (captures_.contains(launch.view.stream))
        effect.launch.reset();
      else
        identify(launch);
      break;
    }
    case DriverCallKind::release: {
      if (is_captured(id, data)) break;
      const auto [address, bytes] = read_release(id, data.functionParams);
      shared_.remove(address, bytes);
      effect.freed = allocations_.remove(address, bytes);
      std::erase_if(effect.freed, [&](const Allocation& allocation) {
        return allocation.kind == MemoryKind::host && host_used_.erase(allocation.address) == 0;
      });
      break;
    }
    case DriverCallKind::capture_begin:
      captures_.begin();
      break;
    case DriverCallKind::capture_end:
      captures_.end();
      break;
    case DriverCallKind::unload: {
      const void* unloaded = read_unloaded(id, data.functionParams);
      functions_.forget(unloaded);
      identities_.clear();
      globals_.forget(unloaded);
      break;
    }
    case DriverCallKind::destroy_context:
      effect.destroyed = read_destroyed(id, data.functionParams);
      if (effect.destroyed != nullptr) forget(effect.destroyed);
      break;
    case DriverCallKind::destroy_graph:
      graphs_.remove(static_cast<const cuGraphExecDestroy_params*>(data.functionParams)->hGraphExec);
      break;
    default:
      break;
  }
  return effect;
}

void ProgramState::forget(CUcontext context) {
  const auto freed =
      allocations_.remove_if([&](const Allocation&, const void* owner) { return owner == context; });
  for (const uint64_t address : freed) {
    shared_.remove(address, 1);
    host_used_.erase(address);
  }
  for (const auto& [module, function] : functions_.containers()) globals_.forget(module);
  functions_.clear();
  identities_.clear();
  on_measured_gpu_.erase(context);
  arrays_.erase(context);
}

void ProgramState::forget_released() {
  const auto freed = allocations_.remove_if([&](const Allocation& allocation, const void* owner) {
    return owner == nullptr && !memory_type_of(allocation.address);
  });
  for (const uint64_t address : freed) shared_.remove(address, 1);
}

int64_t ProgramState::arrays() const {
  int64_t all = 0;
  for (const auto& [context, arrays] : arrays_) all += arrays;
  return all;
}

bool ProgramState::is_captured(CUpti_CallbackId id, const CUpti_CallbackData& data) const {
  const auto stream = stream_of_allocation(id, data.functionParams);
  return stream && captures_.contains(*stream);
}

void ProgramState::on_success(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  switch (driver_call_kind(id)) {
    case DriverCallKind::allocate:
      return on_allocation(id, data);
    case DriverCallKind::create_memory:
      return shared_.on_create(*static_cast<const cuMemCreate_params*>(data.functionParams)->handle);
    case DriverCallKind::share:
      return shared_.on_share(id, data);
    case DriverCallKind::instantiate: {
      // All three calls begin with these two parameters.
      const auto& p = *static_cast<const cuGraphInstantiateWithFlags_params*>(data.functionParams);
      return graphs_.add(*p.phGraphExec, p.hGraph, functions_);
    }
    case DriverCallKind::create_array:
      ++arrays_[data.context];
      return;
    case DriverCallKind::destroy_array:
      --arrays_[data.context];
      return;
    case DriverCallKind::destroy_context:
      return forget_released();
    case DriverCallKind::stream_attributes:
      has_stream_attributes_ = true;
      return;
    case DriverCallKind::change_graph:
      return graphs_.apply_change(id, data.functionParams, functions_);
    default:
      return;
  }
}

void ProgramState::on_allocation(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (id == CUPTI_DRIVER_TRACE_CBID_cuMemMap) {
    const auto& p = *static_cast<const cuMemMap_params*>(data.functionParams);
    // Memory that another process has created is restored by that process, if at all.
    if (shared_.on_map(p.ptr, p.handle)) return;
  }
  if (!is_on_measured_gpu(data.context) || is_captured(id, data)) return;
  const Allocation allocation = read_allocation(id, data.functionParams);
  const bool is_of_context = allocation.kind != MemoryKind::pool && allocation.kind != MemoryKind::mapped;
  allocations_.add(allocation, is_of_context ? data.context : nullptr);
}

void ProgramState::use_files_of_nccl() {
  for (const Allocation& file : file_mappings("/dev/shm/nccl-"))
    if (const Allocation* pinned = allocations_.find(file.address)) host_used_.insert(pinned->address);
}

ProgramState::Changeable ProgramState::changeable() {
  std::vector<Allocation> allocations = allocations_.all();
  std::erase_if(allocations, [&](const Allocation& allocation) {
    if (allocation.kind != MemoryKind::host) return false;
    const auto used = host_used_.lower_bound(allocation.address);
    return used == host_used_.end() || *used >= allocation.end();
  });
  Changeable changeable{std::move(allocations), functions_.containers()};
  globals_.expect(changeable.modules);
  return changeable;
}

std::vector<Allocation> ProgramState::memory(Changeable changeable) {
  std::vector<Allocation> memory = std::move(changeable.allocations);
  const std::vector<Allocation> globals = globals_.memory(changeable.modules);
  memory.insert(memory.end(), globals.begin(), globals.end());
  if (gpu_) std::erase_if(memory, [&](const Allocation& one) { return is_on_other_gpu(one, *gpu_); });
  return merge_overlaps(std::move(memory));  // two pieces of host memory may share a unit of 16 bytes
}

void ProgramState::identify(SeenLaunch& launch) {
  if (const auto* graph = std::get_if<GraphView>(&launch.view.what)) {
    const Graphs::Identity identity = graphs_.identity(graph->graph, allocations_);
    launch.shape_hash = identity.hashes.shape_hash;
    launch.address_hash = identity.hashes.argument_hash;
    launch.launches = identity.launches;
    launch.collectives = identity.collectives;
    host_used_.insert(identity.host.begin(), identity.host.end());
    return;
  }
  launch.shape_hash = hash_shape(launch.view);
  try {
    const LaunchPointers pointers = read_pointers(launch.view, allocations_, functions_);
    launch.address_hash = pointers.address_hash;
    launch.collectives = pointers.is_collective ? 1 : 0;
    host_used_.insert(pointers.host.begin(), pointers.host.end());
  } catch (const Error&) {
    // The driver itself will refuse a launch of a function that cannot be described.
  }
}

bool ProgramState::is_on_measured_gpu(CUcontext context) {
  if (!gpu_) return true;
  const auto known = on_measured_gpu_.find(context);
  if (known != on_measured_gpu_.end()) return known->second;
  CUdevice device = 0;
  const bool found = cuCtxGetDevice(&device) == CUDA_SUCCESS;
  return on_measured_gpu_[context] = found && device == *gpu_;
}

}  // namespace kjoule::cuda
