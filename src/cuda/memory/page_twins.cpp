#include "cuda/memory/page_twins.hpp"

#include <algorithm>
#include <unordered_map>

namespace kjoule::cuda {

std::vector<PageTwins> find_twins(const PagedMemory& memory, const PageSet& changed,
                                  const std::vector<uint64_t>& before, const std::vector<uint64_t>& now) {
  std::unordered_map<uint64_t, std::vector<unsigned>> waiting;  // by hash before the change
  changed.for_each([&](unsigned page) { waiting[before[page]].push_back(page); });
  std::vector<PageTwins> twins;
  for (unsigned page = 0; page < before.size() && !waiting.empty(); ++page) {
    if (before[page] != now[page]) continue;
    const auto found = waiting.find(before[page]);
    if (found == waiting.end() || memory.is_of_host(page)) continue;
    std::erase_if(found->second, [&](unsigned lost) {
      if (memory.bytes_of(lost) != memory.bytes_of(page)) return false;
      twins.push_back({lost, page});
      return true;
    });
    if (found->second.empty()) waiting.erase(found);
  }
  std::ranges::sort(twins, {}, &PageTwins::changed);
  return twins;
}

}  // namespace kjoule::cuda
