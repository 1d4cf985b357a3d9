#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace kjoule {

/// What a chip has drawn in all, known at some moments and even between them. Remembers the last of them, and
/// what its readers have yet to read.
class EnergyHistory {
 public:
  static constexpr int64_t remembered_ns = 200'000'000;  ///< at least, back from the last moment

  /// Moments come in order.
  void add(int64_t ns, double joules);
  /// Forgets all moments, for time to begin anew from that one.
  void restart(int64_t ns, double joules);
  /// The oldest or newest known value for moments before or behind all that are remembered.
  double joules_at(int64_t ns) const;
  /// Remembers all from `*from_ns` on for as long as anyone else holds it.
  void keep(const std::shared_ptr<const int64_t>& from_ns) { kept_.push_back(from_ns); }

 private:
  struct Point {
    int64_t ns;
    double joules;
  };
  void forget();

  std::deque<Point> points_;
  size_t forget_at_ = 0;  ///< so many points
  std::vector<std::weak_ptr<const int64_t>> kept_;
};

}  // namespace kjoule
