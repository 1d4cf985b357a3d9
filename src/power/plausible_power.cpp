#include "power/plausible_power.hpp"

#include <fmt/format.h>

namespace kjoule {

namespace {

/// The largest GPU modules draw 1.4 kW, and those that are announced 4 kW.
constexpr double kMostOfGpu_w = 1e4;
/// A rack with 72 GPUs draws 132 kW.
constexpr double kMostOfMachine_w = 2e5;

}  // namespace

bool is_plausible(double watts, Scope scope) {
  return watts <= (scope == Scope::gpu ? kMostOfGpu_w : kMostOfMachine_w);
}

std::string describe_implausible(double watts, Scope scope) {
  return fmt::format("{:.6g} W, which no {} draws", watts, scope == Scope::gpu ? "GPU" : "machine");
}

}  // namespace kjoule
