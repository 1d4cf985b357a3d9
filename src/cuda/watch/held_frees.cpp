#include "cuda/watch/held_frees.hpp"

#include <algorithm>
#include <utility>

#include "cuda/calls/driver_calls.hpp"

namespace kjoule::cuda {

namespace {

/// Changes the address of a call that frees memory to null.
void redirect(CUpti_CallbackId id, const void* parameters) {
  void* changed = const_cast<void*>(parameters);
  if (id == CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2)
    static_cast<cuMemFree_v2_params*>(changed)->dptr = 0;
  else
    static_cast<cuMemFreeAsync_params*>(changed)->dptr = 0;
}

/// Returns the allocation that a call frees; null if it is of a kind that is not held.
const Allocation* holdable(CUpti_CallbackId id, const CUpti_CallbackData& data,
                           const Allocations& allocations) {
  const CUdeviceptr address = read_release(id, data.functionParams).first;
  const Allocation* freed = allocations.find(address);
  if (freed == nullptr || freed->address != address) return nullptr;
  const bool is_held = freed->kind == MemoryKind::plain || freed->kind == MemoryKind::managed ||
                       freed->kind == MemoryKind::pool;
  return is_held ? freed : nullptr;
}

}  // namespace

bool HeldFrees::waits_for_device(CUpti_CallbackId id, const CUpti_CallbackData& data,
                                 const Allocations& allocations) {
  const Allocation* freed = holdable(id, data, allocations);
  return freed != nullptr && freed->kind != MemoryKind::pool;
}

void HeldFrees::hold(CUpti_CallbackId id, const CUpti_CallbackData& data, const Allocations& allocations) {
  const Allocation* freed = holdable(id, data, allocations);
  if (freed == nullptr) return;
  held_.push_back(*freed);
  redirect(id, data.functionParams);
}

bool HeldFrees::are_kept() const {
  return std::ranges::all_of(held_, [](const Allocation& allocation) {
    CUdeviceptr begin = 0;
    size_t bytes = 0;
    return cuMemGetAddressRange(&begin, &bytes, allocation.address) == CUDA_SUCCESS;
  });
}

std::vector<Allocation> HeldFrees::take() {
  return std::exchange(held_, {});
}

void free_memory(const std::vector<Allocation>& held) {
  for (const Allocation& allocation : held) cuMemFree(allocation.address);
}

}  // namespace kjoule::cuda
