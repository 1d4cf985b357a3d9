#pragma once
#include <fmt/format.h>

#include <string>

#include "compare/iteration/verdict.hpp"

namespace kjoule {

/// Returns a time in s, or an energy in J, as a key figure shows it.
inline std::string figure_time(double seconds) {
  return seconds < 0.01 ? fmt::format("{:.1f} us", 1e6 * seconds) : fmt::format("{:.2f} ms", 1e3 * seconds);
}
inline std::string figure_energy(double joules) {
  return joules < 10 ? fmt::format("{:.2f} mJ", 1e3 * joules) : fmt::format("{:.2f} J", joules);
}

/// Returns the state of a verdict's block on the page.
inline const char* verdict_state(Verdict verdict) {
  if (verdict == Verdict::adds_up) return "good";
  return verdict == Verdict::does_not_add_up ? "bad" : "open";
}

}  // namespace kjoule
