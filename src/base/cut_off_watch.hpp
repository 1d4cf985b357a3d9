#pragma once
#include <cstddef>
#include <string>

namespace kjoule {

/// From now on a file that is mapped to these bytes and cut off by another process ends this one with an
/// error that names it, where it would die by SIGBUS: the bytes are gone, and views of them are everywhere.
/// One file at a time is watched, the last.
void watch_for_cut_off(const char* mapped, size_t size, const std::string& file);
/// Before that mapping goes.
void end_cut_off_watch(const char* mapped);

}  // namespace kjoule
