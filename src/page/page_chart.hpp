#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// A value of a chart, and the range of the values that it stands for.
struct ChartValue {
  double low = 0, value = 0, high = 0;
};

/// A chart of values over numbers. The page draws it with the library dygraphs, which lets the reader zoom.
class PageChart {
 public:
  enum class Style {
    curves,  ///< lines, with a band from the low to the high value
    points,  ///< points; both axes are logarithmic
  };
  /// `text` describes the chart to readers who cannot see it. The labels have the units.
  PageChart(Style style, const std::string& text, const std::string& x_label, const std::string& y_label);

  void add_series(const std::string& name);
  /// Adds the series of a line, to which the points of the others can be compared.
  void add_line(const std::string& name);
  /// Adds a value of each series, in their order, at `x`; nothing for a series that has none there. Points
  /// must be added in ascending order of `x`.
  void add_point(double x, const std::vector<std::optional<ChartValue>>& values);
  /// Marks a range of `x`. Ranges without a name are not explained.
  void add_window(double from, double to, const std::string& name);

  const nlohmann::ordered_json& json() const { return json_; }

 private:
  nlohmann::ordered_json json_;
  bool has_bands_;
};

}  // namespace kjoule
