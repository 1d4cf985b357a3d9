#pragma once
#include <string>
#include <utility>
#include <vector>

#include "page/page_chart.hpp"
#include "power/integrate.hpp"

namespace kjoule {

/// A window of a power log with the name that the chart shows.
struct NamedWindow {
  std::string name;
  PowerWindow window;
};

/// Returns the chart of the power of these series over the time since the first reading of any of them. A
/// long log is divided into intervals; the chart has their mean, lowest and highest power.
PageChart power_chart(const std::vector<const PowerSeries*>& series, const std::vector<NamedWindow>& windows);

}  // namespace kjoule
