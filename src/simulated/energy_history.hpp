#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace kjoule {

/// The total energy that a chip has consumed, as points in time that are interpolated linearly. It contains
/// the most recent points, and those that readers still need (keep()).
class EnergyHistory {
 public:
  static constexpr int64_t remembered_ns = 200'000'000;  ///< least time that is kept before the last point

  /// Adds a point, which must not be earlier than the last one.
  void add(int64_t ns, double joules);
  /// Removes all points and restarts with this one.
  void restart(int64_t ns, double joules);
  /// Returns the interpolated energy at time `ns`, in J; the oldest or newest value for times outside the
  /// history.
  double joules_at(int64_t ns) const;
  /// Returns the power right after time `ns`, in W; that of the oldest or newest interval for times outside
  /// the history.
  double watts_at(int64_t ns) const;
  /// Keeps all points from `*from_ns` on, as long as the caller owns a copy of the pointer. The caller may
  /// change `*from_ns`.
  void keep(const std::shared_ptr<const int64_t>& from_ns) { kept_.push_back(from_ns); }

 private:
  struct Point {
    int64_t ns;
    double joules;
  };
  void forget();

  std::deque<Point> points_;
  size_t forget_at_ = 0;  ///< number of points at which the oldest points are removed
  std::vector<std::weak_ptr<const int64_t>> kept_;
};

}  // namespace kjoule
