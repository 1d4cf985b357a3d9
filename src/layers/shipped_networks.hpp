#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// A network that is built into kjoule, from a file in data/networks.
struct ShippedNetwork {
  std::string name;
  std::string yaml;
};
const std::vector<ShippedNetwork>& shipped_networks();

/// Returns the network with this name. Throws Error with the most similar names if there is none.
const ShippedNetwork& shipped_network(const std::string& name);

}  // namespace kjoule
