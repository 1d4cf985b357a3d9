#include "cuda/calls/collectives.hpp"

#include <algorithm>
#include <array>

#include "recording/collective_kernel.hpp"

namespace kjoule::cuda {

namespace {

/// Parts of kernel names by which collectives on symmetric memory are recognised.
constexpr std::array kOfSymmetricMemory{
    "ncclSym",
    // NVSHMEM
    "nvshmem", "alltoall_on_stream_kernel", "barrier_on_stream_kernel", "broadcast_on_stream_kernel",
    "fcollect_on_stream_kernel", "rdxn_on_stream_kernel", "reducescatter_on_stream_kernel",
    "sync_on_stream_kernel",
    // PyTorch
    "symmetric_memory", "multimem_", "one_shot_all_reduce", "two_shot_all_reduce"};

bool contains_any(std::string_view name, const auto& parts) {
  return std::ranges::any_of(parts,
                             [&](const char* part) { return name.find(part) != std::string_view::npos; });
}

}  // namespace

Collective collective_of(std::string_view kernel) {
  if (contains_any(kernel, kOfSymmetricMemory)) return Collective::symmetric;
  return is_nccl_kernel(kernel) ? Collective::nccl : Collective::none;
}

}  // namespace kjoule::cuda
