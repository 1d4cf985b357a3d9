#pragma once
#include <optional>

namespace kjoule {

/// Time and energy of work on one GPU. The energy of a sum is known only if the energies of all terms are
/// known.
struct Cost {
  double us = 0;
  std::optional<double> joules = 0;  ///< absent if unknown
};

inline Cost operator+(const Cost& a, const Cost& b) {
  return {a.us + b.us, a.joules && b.joules ? std::optional(*a.joules + *b.joules) : std::nullopt};
}
inline Cost& operator+=(Cost& a, const Cost& b) {
  return a = a + b;
}
inline Cost operator*(double times, const Cost& cost) {
  return {times * cost.us, cost.joules ? std::optional(times * *cost.joules) : std::nullopt};
}

}  // namespace kjoule
