#pragma once
#include <cstdint>
#include <functional>

namespace stand_in {

/// Does what a stream was given: at once, or with FAKE_CUDA_DEFERS=1 not before the host makes a call that
/// may wait for it. Everything then happens in the order in which it was issued, but late, as if the device
/// were slow: who reads memory of the host when it issues a copy, instead of when the copy runs, finds other
/// values. With FAKE_CUDA_DEFERS=streams, what was issued to the stream of the lowest number happens first,
/// then to the next one, and so on: streams must not wait for each other.
void do_or_defer(std::function<void()> operation, uint32_t stream);

/// Does what was deferred.
void do_deferred();
/// As do_deferred(), if a call of this name may wait for it, or end something that it uses.
void do_deferred_before(const char* call);

}  // namespace stand_in
