#include "page/page_chart.hpp"

#include <cmath>

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

/// Returns the number with the digits that a chart can show.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  constexpr double kDigits = 6;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - kDigits + 1);
  return std::round(value / unit) * unit;
}

}  // namespace

PageChart::PageChart(Style style, const std::string& text, const std::string& x_label,
                     const std::string& y_label)
    : json_{{"style", style == Style::curves ? "curves" : "points"},
            {"text", text},
            {"x", x_label},
            {"y", y_label},
            {"series", Json::array()},
            {"points", Json::array()},
            {"windows", Json::array()}},
      has_bands_(style == Style::curves) {}

void PageChart::add_series(const std::string& name) {
  json_["series"].push_back(name);
}

void PageChart::add_line(const std::string& name) {
  add_series(name);
  json_["line"] = name;
}

void PageChart::add_point(double x, const std::vector<std::optional<ChartValue>>& values) {
  Json point{rounded(x)};
  for (const auto& one : values)
    if (!one)
      point.push_back(nullptr);
    else if (has_bands_)
      point.push_back({rounded(one->low), rounded(one->value), rounded(one->high)});
    else
      point.push_back(rounded(one->value));
  json_["points"].push_back(std::move(point));
}

void PageChart::add_window(double from, double to, const std::string& name) {
  json_["windows"].push_back({from, to, name});
}

}  // namespace kjoule
