#include "simulated/energy_history.hpp"

#include <algorithm>

namespace kjoule {
namespace {

constexpr size_t fewest_points = 1024;

}  // namespace

void EnergyHistory::add(int64_t ns, double joules) {
  points_.push_back({ns, joules});
  if (points_.size() >= forget_at_) forget();
}

void EnergyHistory::restart(int64_t ns, double joules) {
  points_.assign(1, {ns, joules});
}

double EnergyHistory::watts_at(int64_t ns) const {
  if (points_.size() < 2) return 0;
  const auto after = std::partition_point(points_.begin() + 1, points_.end() - 1,
                                          [ns](const Point& point) { return point.ns <= ns; });
  const auto before = after - 1;
  if (after->ns == before->ns) return 0;
  return (after->joules - before->joules) / (static_cast<double>(after->ns - before->ns) * 1e-9);
}

double EnergyHistory::joules_at(int64_t ns) const {
  const auto after = std::partition_point(points_.begin(), points_.end(),
                                          [ns](const Point& point) { return point.ns <= ns; });
  if (after == points_.begin()) return points_.front().joules;
  if (after == points_.end()) return points_.back().joules;
  const Point& before = *(after - 1);
  const double part = static_cast<double>(ns - before.ns) / static_cast<double>(after->ns - before.ns);
  return before.joules + part * (after->joules - before.joules);
}

/// Removes old points. It is called only when the number of points has doubled, so that adding a point is
/// cheap.
void EnergyHistory::forget() {
  int64_t from_ns = points_.back().ns - remembered_ns;
  std::erase_if(kept_, [](const auto& kept) { return kept.expired(); });
  for (const auto& kept : kept_) from_ns = std::min(from_ns, *kept.lock());
  while (points_.size() > 1 && points_[1].ns <= from_ns) points_.pop_front();
  forget_at_ = std::max(fewest_points, 2 * points_.size());
}

}  // namespace kjoule
