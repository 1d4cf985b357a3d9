#pragma once

namespace kjoule {

/// The exponent of the slowdown at the power limit: work that would consume x times the limit takes
/// x^kSlowdownExponent times as long. Measured with large matrix products on H200s
/// (docs/reference/results.md, "Training steps"): 0.57 in the median, 0.42 to 0.73.
inline constexpr double kSlowdownExponent = 0.6;

}  // namespace kjoule
