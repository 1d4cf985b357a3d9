#pragma once
#include <cuda.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/calls/call_in_stream.hpp"

namespace kjoule::cuda {

/// Returns the kind of memory at an address, as the driver reports it; nothing for host memory that the
/// driver does not know, which is pageable.
std::optional<CUmemorytype> memory_type_of(CUdeviceptr address);

/// Returns whether the driver knows this memory as pinned. The device reads such memory when it executes a
/// copy, not when the host issues the copy.
bool is_read_by_device(const void* host);

/// Returns a function that replaces `bytes` by the contents of `from` when the device reaches the function's
/// position in the stream. So kjoule keeps for a copy from pinned memory the data that the device really
/// reads, which the host or an earlier operation may write after the copy was issued. `bytes` is complete
/// when all work in the stream is complete.
StreamCall take_when_sent(CUstream stream, std::shared_ptr<std::vector<std::byte>> bytes, const void* from);

}  // namespace kjoule::cuda
