#pragma once
#include <cstddef>
#include <string>

namespace kjoule {

/// Watches a mapped file that another process may truncate. If it does, reading the lost bytes ends this
/// process with an error that names the file; without the watch, it would die by SIGBUS. Only the file of the
/// last call is watched.
void watch_for_cut_off(const char* mapped, size_t size, const std::string& file);
/// Ends the watch on this mapping. Call it before the mapping is removed.
void end_cut_off_watch(const char* mapped);

}  // namespace kjoule
