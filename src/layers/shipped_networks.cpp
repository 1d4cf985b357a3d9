#include "layers/shipped_networks.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text/nearest_names.hpp"
#include "networks_text.hpp"

namespace kjoule {

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
  throw Error(
      fmt::format("{} is neither a built-in network nor a file", name),
      fmt::format("did you mean {}? kjoule layers --list shows all networks", nearest_names(name, names)));
}

}  // namespace kjoule
