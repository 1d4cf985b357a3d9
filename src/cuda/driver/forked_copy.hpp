#pragma once

namespace kjoule::cuda {

/// Whether this process was forked from one in which CUDA had started. Such a process cannot use CUDA, and
/// kjoule does nothing in it: the process has a copy of kjoule's data, but none of kjoule's threads, and
/// locks may stay locked by threads that do not exist here. Written only when the process begins, with one
/// thread.
inline bool is_forked_copy = false;

}  // namespace kjoule::cuda
