#pragma once
#include <cuda.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace kjoule::cuda {

/// Returns whether the device reads this host memory itself, when it comes to a copy. The driver reads other
/// host memory before the copy's call returns.
bool is_read_by_device(const void* host);

/// Replaces `bytes` by what is at `from` when the device comes to this place of the stream: a copy from
/// pinned memory sends what the host, or an earlier operation, has written until then, not what the host saw
/// when it issued the copy. The bytes are complete when the stream's work is. Throws DeviceError.
void take_when_sent(CUstream stream, std::shared_ptr<std::vector<std::byte>> bytes, const void* from);

}  // namespace kjoule::cuda
