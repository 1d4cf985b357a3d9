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

/// Returns whether the driver knows this memory as pinned. The device itself reads such memory when it
/// reaches a copy.
bool is_read_by_device(const void* host);

/// Returns a function that replaces `bytes` by the contents of `from` when the device reaches this position
/// in the stream. Thereby a copy from pinned memory has the data that the host, or an earlier operation, has
/// written by then. The bytes are complete when the stream's work is.
StreamCall take_when_sent(CUstream stream, std::shared_ptr<std::vector<std::byte>> bytes, const void* from);

}  // namespace kjoule::cuda
