#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace kjoule {

/// Returns a hash of a word (the output function of splitmix64): similar words have very different hashes.
inline uint64_t mix(uint64_t word) {
  word += 0x9e3779b97f4a7c15u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

/// Returns a hash of several words, which depends on their order.
template <class... Words>
uint64_t mix(uint64_t first, uint64_t second, Words... rest) {
  return mix(mix(first) ^ second, rest...);
}

/// Returns a hash as a number in [0, 1).
inline double fraction(uint64_t hash) {
  return static_cast<double>(hash >> 11) * 0x1p-53;
}

/// Random numbers from which programs are made. A seed gives the same numbers on every platform: the class
/// uses the words of mt19937_64, which the standard defines, but neither its distributions nor libm, whose
/// results differ.
class Draws {
 public:
  explicit Draws(uint64_t seed) : engine_(mix(seed)) {}

  /// Returns a number from `low` to below `high`.
  double between(double low, double high) { return low + (high - low) * fraction(engine_()); }
  /// Returns a whole number from `low` to `high`, both included.
  int integer(int low, int high) {
    const auto count = static_cast<uint64_t>(static_cast<int64_t>(high) - low) + 1;
    return low + static_cast<int>(engine_() % count);
  }
  bool chance(double probability) { return between(0, 1) < probability; }

 private:
  std::mt19937_64 engine_;
};

/// Noise factors 1 + depth * (P - 1), where P is Pareto-distributed with alpha 3 and least value 1. With
/// these factors, most launches take little longer than their least time, and a few launches take much
/// longer. `depth` is the scale of the noise, as a share of a launch's time.
class ParetoNoise {
 public:
  explicit ParetoNoise(double depth) : depth_(depth) {}

  static constexpr double mean(double depth) { return 1 + 0.5 * depth; }
  void reseed(uint64_t seed) { state_ = seed; }

  double factor() {
    // The inverse of the largest of three uniform numbers is Pareto-distributed with alpha 3. No root is
    // needed, so the bits are the same everywhere.
    const uint64_t word = mix(state_ += 0x9e3779b97f4a7c15u);
    constexpr uint64_t mask = (uint64_t{1} << 21) - 1;
    const uint64_t largest = std::max({word & mask, (word >> 21) & mask, (word >> 42) & mask});
    const double pareto = 0x1p21 / (static_cast<double>(largest) + 0.5);
    return 1 + depth_ * (pareto - 1);
  }

  /// Returns a random mean of the factors of many launches, weighted by their times. It is approximately
  /// normal. `spread` is its standard deviation divided by that of one factor: 1 / sqrt(n) for n equal
  /// launches.
  double mean_factor(double spread) {
    const uint64_t word = mix(state_ += 0x9e3779b97f4a7c15u);
    double sum = -2 + 2 * 0x1p-16;  // makes the mean of four whole numbers below 2^16 zero
    for (int shift = 0; shift < 64; shift += 16)
      sum += static_cast<double>((word >> shift) & 0xffff) * 0x1p-16;
    const double normal = std::sqrt(3.0) * sum;
    const double pareto_deviation = std::sqrt(0.75);
    // No factor is below 1, but a normal mean of a few factors may be far below 1, even negative.
    return std::max(0.5, mean(depth_) + depth_ * pareto_deviation * spread * normal);
  }

 private:
  double depth_;
  uint64_t state_ = 0;
};

/// The drift of the device's speed: a factor that changes smoothly over time. The factor goes from one
/// extreme to the next extreme within 20 to 40 s (depending on the seed); two extremes differ by at most
/// `depth`.
class SpeedDrift {
 public:
  SpeedDrift(double depth, uint64_t seed)
      : depth_(depth), seed_(mix(seed, 0xd21f7)), swing_ns_(20e9 + 20e9 * fraction(mix(seed_))) {}

  double slowdown(int64_t now_ns) const {
    const double swings = static_cast<double>(now_ns) / swing_ns_ + fraction(mix(seed_, 1));
    const double whole = std::floor(swings);
    const double part = swings - whole;
    const double smooth = part * part * (3 - 2 * part);
    const auto index = static_cast<int64_t>(whole);
    return 1 + depth_ * (extreme(index) * (1 - smooth) + extreme(index + 1) * smooth);
  }

 private:
  /// Returns an extreme of the drift; slow and fast extremes alternate, with different sizes.
  double extreme(int64_t index) const {
    const double size = 0.375 + 0.125 * fraction(mix(seed_, 2, static_cast<uint64_t>(index)));
    return index % 2 == 0 ? size : -size;
  }

  double depth_;
  uint64_t seed_;
  double swing_ns_;
};

}  // namespace kjoule
