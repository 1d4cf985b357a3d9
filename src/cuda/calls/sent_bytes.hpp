#pragma once
#include <cuda.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/calls/call_in_stream.hpp"

namespace kjoule::cuda {

/// Returns the driver's kind of the memory at an address; nothing for memory of the host that it does not
/// know, which is pageable.
std::optional<CUmemorytype> memory_type_of(CUdeviceptr address);

/// Returns whether the driver knows this memory as pinned: then the device reads it itself, when it comes to
/// a copy.
bool is_read_by_device(const void* host);

/// Returns the call that replaces `bytes` by what is at `from` when the device comes to this place of the
/// stream: a copy from pinned memory sends what the host, or an earlier operation, has written until then.
/// The bytes are complete when the stream's work is.
StreamCall take_when_sent(CUstream stream, std::shared_ptr<std::vector<std::byte>> bytes, const void* from);

}  // namespace kjoule::cuda
