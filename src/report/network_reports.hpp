#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "layers/measured_network.hpp"

namespace kjoule {

/// A network's layers. Pure functions, units in every header; empty or null where nothing was measured.
std::string network_text(const NetworkResult& network);
/// layers.csv: a line for each layer.
std::string network_csv(const std::vector<NetworkResult>& networks);
/// summary.csv: a line for each network, columns for each layer that any of them has.
std::string network_summary_csv(const std::vector<NetworkResult>& networks);
/// layers.json
nlohmann::ordered_json network_json(const NetworkResult& network);

}  // namespace kjoule
