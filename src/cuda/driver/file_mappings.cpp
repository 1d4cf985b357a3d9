#include "cuda/driver/file_mappings.hpp"

#include <fstream>
#include <sstream>

namespace kjoule::cuda {

std::vector<Allocation> file_mappings(const std::string& prefix) {
  std::vector<Allocation> mappings;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    // "7f00-7f10 rw-s 00000000 00:1a 42    /dev/shm/file"
    std::istringstream words(line);
    uint64_t begin = 0, end = 0;
    char dash = 0;
    std::string permissions, offset, device, inode, path;
    if (!(words >> std::hex >> begin >> dash >> end >> permissions >> offset >> device >> inode >> path))
      continue;
    if (path.starts_with(prefix)) mappings.push_back({begin, end - begin, MemoryKind::host});
  }
  return mappings;
}

}  // namespace kjoule::cuda
