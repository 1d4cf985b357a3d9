#include "power/plausible_power.hpp"

#include <fmt/format.h>

namespace kjoule {

namespace {

/// The largest GPU modules consume 1.4 kW, and announced ones 4 kW.
constexpr double kMostOfGpu_w = 1e4;
/// A rack with 72 GPUs consumes 132 kW.
constexpr double kMostOfMachine_w = 2e5;

}  // namespace

bool is_plausible(double watts, Scope scope) {
  return watts <= (scope == Scope::gpu ? kMostOfGpu_w : kMostOfMachine_w);
}

std::string describe_implausible(double watts, Scope scope) {
  return fmt::format("{:.6g} W, which no {} consumes", watts, scope == Scope::gpu ? "GPU" : "machine");
}

}  // namespace kjoule
