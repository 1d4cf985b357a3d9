#include "model_prediction/combined_error.hpp"

#include <algorithm>
#include <cmath>

namespace kjoule {

void CombinedError::add(const std::string& source, double times, const Estimate& estimate) {
  value_ += times * estimate.value;
  HalfWidths& widths = sources_[source];
  widths.below += times * (estimate.value - estimate.low);
  widths.above += times * (estimate.high - estimate.value);
}

Estimate CombinedError::sum() const {
  double below = 0, above = 0;
  for (const auto& [source, widths] : sources_) {
    below += widths.below * widths.below;
    above += widths.above * widths.above;
  }
  return {value_, std::max(0.0, value_ - std::sqrt(below)), value_ + std::sqrt(above)};
}

}  // namespace kjoule
