#include "collectives/machines_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"

namespace kjoule {

int count_machines(const std::vector<std::string>& machines) {
  std::map<std::string, int> ranks;
  for (const std::string& machine : machines) ++ranks[machine];
  const auto fewer = [](const auto& one, const auto& other) { return one.second < other.second; };
  const auto [least, most] = std::minmax_element(ranks.begin(), ranks.end(), fewer);
  if (least->second != most->second)
    throw Error(fmt::format("the machines have different numbers of ranks: {} has {}, but {} has {}",
                            least->first, least->second, most->first, most->second),
                "start as many ranks on each machine, with --nproc-per-node of torchrun or "
                "--ntasks-per-node of srun");
  return static_cast<int>(ranks.size());
}

}  // namespace kjoule
