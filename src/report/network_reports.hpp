#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "layers/network_result.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// Returns the columns of layers that network_text() shows, for the help.
TableColumns network_columns();

/// Returns the network's name, data type and description in one line.
std::string network_heading(const NetworkResult& network);
/// Returns sentences with the sums over all layers, the differences from other measurements, and the roof.
std::vector<std::string> network_notes(const NetworkResult& network);
/// Returns a table of a network's layers for a terminal, with the unit in each column head.
std::string network_text(const NetworkResult& network);
/// Returns layers.csv: one line for each layer. Cells without a measured value are empty.
std::string network_csv(const std::vector<NetworkResult>& networks);
/// Returns summary.csv: one line for each network, with columns for every layer of any network.
std::string network_summary_csv(const std::vector<NetworkResult>& networks);
/// Returns layers.json. Values that were not measured are null.
nlohmann::ordered_json network_json(const NetworkResult& network);

}  // namespace kjoule
