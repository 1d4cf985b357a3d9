#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace kjoule::cuda {

/// The bytes that are available for copies of the program's pages outside of the GPU.
struct HostRoom {
  uint64_t memory = 0;
  uint64_t file = 0;             ///< bytes available in a file in `folder`
  std::filesystem::path folder;  ///< for temporary files; empty if no folder for them is on a disk
};

/// Returns the space that is available now: most of the memory that is free for this process within the
/// limits of its control group, and most of the disk's free space. The environment variables KJOULE_HOST_ROOM
/// and KJOULE_FILE_ROOM, in bytes, replace these two numbers.
HostRoom host_room();

/// Returns the memory, in bytes, that a control group may still use; the largest number if the group has no
/// limit. The arguments are the contents of the group's files memory.max, memory.current and memory.stat.
/// Inactive cached files count as free memory.
uint64_t left_of_group(const std::string& limit, const std::string& used, const std::string& statistics);

}  // namespace kjoule::cuda
