#pragma once

namespace kjoule::cuda {

/// Whether this process was forked from a process in which CUDA had started. A forked process cannot use
/// CUDA, and kjoule does nothing in it: it has a copy of kjoule's data, but none of kjoule's threads, and
/// some locks may be locked by threads that do not exist in it. Written only when the process begins, while
/// it has one thread.
inline bool is_forked_copy = false;

}  // namespace kjoule::cuda
