#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// A sampling configuration that is part of the binary (data/sampling), with the name of its operator.
struct ShippedConfiguration {
  std::string name, yaml;
};
/// Returns all configurations that are part of the binary.
const std::vector<ShippedConfiguration>& shipped_configurations();
/// Returns the configuration of that name. Throws Error, which lists the nearest names, if there is none.
const ShippedConfiguration& shipped_configuration(const std::string& name);

}  // namespace kjoule
