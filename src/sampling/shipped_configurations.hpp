#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// A sampling configuration that every binary holds (data/sampling), named after its operator.
struct ShippedConfiguration {
  std::string name, yaml;
};
const std::vector<ShippedConfiguration>& shipped_configurations();
/// Throws Error with the nearest names.
const ShippedConfiguration& shipped_configuration(const std::string& name);

}  // namespace kjoule
