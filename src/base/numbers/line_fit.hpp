#pragma once
#include <optional>

namespace kjoule {

/// The least-squares line y = at_0 + slope x through the points that were added.
class LineFit {
 public:
  void add(double x, double y) {
    n_ += 1;
    x_ += x;
    y_ += y;
    xx_ += x * x;
    xy_ += x * y;
  }
  /// Returns the slope; no value if all points have the same x.
  std::optional<double> slope() const {
    const double spread = n_ * xx_ - x_ * x_;
    return spread > 0 ? std::optional((n_ * xy_ - x_ * y_) / spread) : std::nullopt;
  }
  /// Returns y at x = 0 of the best line with this slope; 0 without points.
  double at_0(double slope) const { return n_ > 0 ? (y_ - slope * x_) / n_ : 0; }

 private:
  double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
};

}  // namespace kjoule
