#include "cuda/memory/host_room.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <system_error>

namespace kjoule::cuda {

namespace {

/// The share of the free memory, and of the disk's free space, that stays free is 1 / kShareLeft.
constexpr uint64_t kShareLeft = 8;

std::string contents_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream contents;
  contents << in.rdbuf();
  return contents.str();
}

std::optional<uint64_t> number_in(const std::string& text) {
  uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return {};
  return number;
}

/// Returns the number that follows a word in the text; 0 if there is none.
uint64_t number_after(const std::string& word, const std::string& text) {
  std::istringstream words(text);
  for (std::string found; words >> found;) {
    uint64_t number = 0;
    if (found == word && words >> number) return number;
  }
  return 0;
}

/// Returns the value of an environment variable; nothing if it is not set or no number.
std::optional<uint64_t> given_bytes(const char* variable) {
  const char* given = std::getenv(variable);
  return given == nullptr ? std::nullopt : number_in(given);
}

/// Returns the bytes of memory that the control group of this process may still use. These are the paths of
/// the group in a container.
uint64_t left_of_own_group() {
  const std::filesystem::path second = "/sys/fs/cgroup";
  const std::filesystem::path first = second / "memory";
  return std::min(
      left_of_group(contents_of(second / "memory.max"), contents_of(second / "memory.current"),
                    contents_of(second / "memory.stat")),
      left_of_group(contents_of(first / "memory.limit_in_bytes"),
                    contents_of(first / "memory.usage_in_bytes"), contents_of(first / "memory.stat")));
}

bool is_in_memory(const std::filesystem::path& folder) {
  struct statfs system {};
  return statfs(folder.c_str(), &system) == 0 &&
         (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

/// Returns the folder for temporary files, or another folder if its files are kept in memory (tmpfs); an
/// empty path if no folder is on a disk.
std::filesystem::path folder_on_disk() {
  std::error_code error;
  const std::filesystem::path usual = std::filesystem::temp_directory_path(error);
  if (!error && !is_in_memory(usual)) return usual;
  const std::filesystem::path other = "/var/tmp";
  return std::filesystem::is_directory(other, error) && !is_in_memory(other) ? other
                                                                             : std::filesystem::path();
}

uint64_t most_of(uint64_t bytes) {
  return bytes - bytes / kShareLeft;
}

}  // namespace

uint64_t left_of_group(const std::string& limit, const std::string& used, const std::string& statistics) {
  const std::optional<uint64_t> most = number_in(limit);
  const std::optional<uint64_t> now = number_in(used);
  if (!most || !now) return std::numeric_limits<uint64_t>::max();
  const uint64_t kept = *now - std::min(*now, number_after("inactive_file", statistics));
  return *most - std::min(*most, kept);
}

HostRoom host_room() {
  HostRoom room;
  const uint64_t available = number_after("MemAvailable:", contents_of("/proc/meminfo")) << 10;
  room.memory = given_bytes("KJOULE_HOST_ROOM").value_or(most_of(std::min(available, left_of_own_group())));
  std::error_code error;
  if (const auto given = given_bytes("KJOULE_FILE_ROOM")) {
    room.folder = std::filesystem::temp_directory_path(error);
    room.file = *given;
    return room;
  }
  room.folder = folder_on_disk();
  if (room.folder.empty()) return room;
  const std::filesystem::space_info space = std::filesystem::space(room.folder, error);
  room.file = error ? 0 : most_of(space.available);
  return room;
}

}  // namespace kjoule::cuda
