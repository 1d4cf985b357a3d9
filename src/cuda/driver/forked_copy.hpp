#pragma once

namespace kjoule::cuda {

/// Whether this process was forked from one in which CUDA had started. It cannot use CUDA. It has a copy of
/// what kjoule keeps, but none of kjoule's threads, and locks may be held by threads that it does not have:
/// kjoule does nothing in it. Written only when the process begins, with one thread.
inline bool is_forked_copy = false;

}  // namespace kjoule::cuda
