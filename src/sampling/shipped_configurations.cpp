#include "sampling/shipped_configurations.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text/nearest_names.hpp"
#include "device/operator_table.hpp"
#include "sampling_text.hpp"

namespace kjoule {

const std::vector<ShippedConfiguration>& shipped_configurations() {
  static const std::vector<ShippedConfiguration> all = [] {
    std::vector<ShippedConfiguration> configurations;
    for (const auto& [name, yaml] : kSamplingConfigurations) configurations.push_back({name, yaml});
    return configurations;
  }();
  return all;
}

const ShippedConfiguration& shipped_configuration(const std::string& name) {
  std::vector<std::string> names;
  for (const ShippedConfiguration& one : shipped_configurations()) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  throw Error(
      fmt::format("{} is neither a built-in operator nor a file", name),
      fmt::format("did you mean {}? kjoule sample --list shows all operators", nearest_names(name, names)));
}

}  // namespace kjoule
