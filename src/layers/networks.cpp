#include "layers/networks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "networks_text.hpp"

namespace kjoule {

namespace {

/// How many letters to change, add or leave out (Levenshtein's distance).
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t corner = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = corner + (a[i] == b[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, corner + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::vector<ShippedNetwork>& shipped_networks() {
  static const std::vector<ShippedNetwork> all = [] {
    std::vector<ShippedNetwork> networks;
    for (const auto& [name, yaml] : kNetworks) networks.push_back({name, yaml});
    return networks;
  }();
  return all;
}

const ShippedNetwork& shipped_network(const std::string& name) {
  for (const ShippedNetwork& network : shipped_networks())
    if (network.name == name) return network;
  std::vector<std::string> names;
  for (const ShippedNetwork& network : shipped_networks()) names.push_back(network.name);
  std::stable_sort(names.begin(), names.end(),
                   [&](const auto& a, const auto& b) { return distance(name, a) < distance(name, b); });
  names.resize(std::min<size_t>(3, names.size()));
  throw Error(fmt::format("{} is no network and no file", name),
              fmt::format("did you mean {}? kjoule layers --list has all", fmt::join(names, ", ")));
}

}  // namespace kjoule
