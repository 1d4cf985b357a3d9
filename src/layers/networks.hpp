#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// A network that every binary holds (data/networks).
struct ShippedNetwork {
  std::string name;
  std::string yaml;
};
const std::vector<ShippedNetwork>& shipped_networks();

/// The one of that name. Throws Error with the nearest names.
const ShippedNetwork& shipped_network(const std::string& name);

}  // namespace kjoule
