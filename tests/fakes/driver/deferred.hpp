#pragma once
#include <cstdint>
#include <functional>

namespace stand_in {

/// Executes an operation that was issued to a stream: at once, or with FAKE_CUDA_DEFERS=1 only when the host
/// makes a call that may wait for it. Then all operations are executed in the order in which they were
/// issued, but late, as if the device were slow. Code that reads host memory when it issues a copy, and not
/// when the copy runs, finds other values. With FAKE_CUDA_DEFERS=streams, the operations of the stream with
/// the lowest number are executed first, then those of the next stream, and so on; the streams must not wait
/// for each other.
void do_or_defer(std::function<void()> operation, uint32_t stream);

/// Executes the deferred operations.
void do_deferred();
/// Does the same if a call of this name may wait for the operations, or destroy something that they use.
void do_deferred_before(const char* call);

}  // namespace stand_in
