#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace kjoule::cuda {

/// How many bytes of copies of the program's pages may be kept outside of the GPU.
struct HostRoom {
  uint64_t memory = 0;
  uint64_t file = 0;             ///< in a file of `folder`
  std::filesystem::path folder;  ///< for temporary files; empty if their files would be in memory, too
};

/// Returns the room that is left now: most of the memory that is free for this process, with the limits of
/// its control group, and most of the disk. KJOULE_HOST_ROOM and KJOULE_FILE_ROOM, in bytes, replace what is
/// found.
HostRoom host_room();

/// Returns the memory, in bytes, that a control group may still use: the largest number if it has no limit.
/// The arguments are the contents of its files memory.max, memory.current and memory.stat. Cached files that
/// are inactive count as free memory.
uint64_t left_of_group(const std::string& limit, const std::string& used, const std::string& statistics);

}  // namespace kjoule::cuda
