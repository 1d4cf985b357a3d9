#pragma once
#include <optional>
#include <string>
#include <vector>

#include "layers/network_result.hpp"
#include "report/table_column.hpp"

namespace kjoule {

/// A layer with the network that contains it.
struct ReportedLayer {
  const NetworkResult* network = nullptr;
  const LayerResult* layer = nullptr;
};
/// Returns the layers of the network, into which the rows point.
std::vector<ReportedLayer> rows_of(const NetworkResult& network);

/// Returns the columns of layers: of network_text(), network_csv() and the objects in network_json().
const std::vector<TableColumn<ReportedLayer>>& layer_columns();

/// Returns the layer's name, kind and shape, as its line on the screen begins.
std::string layer_title(const LayerResult& layer);

/// Returns the layer's time or energy in isolation with these buffers.
std::optional<Interval> alone(const LayerResult& layer, const std::string& buffers,
                              std::optional<Interval> IsolatedLayer::*value);
/// Returns the layer's share of the roof if it is above 1, that is, if the layer seems to be faster than the
/// roof allows; otherwise nothing.
std::optional<double> above_roof(const ReportedLayer& row);
/// Returns possible reasons why a layer is faster than the roof allows.
std::string reason_above_roof(const ReportedLayer& row);

}  // namespace kjoule
