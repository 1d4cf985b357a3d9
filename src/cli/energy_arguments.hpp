#pragma once
#include <CLI/CLI.hpp>

#include "cli/effect.hpp"
#include "run/energy_meters.hpp"

namespace kjoule {

/// Command-line options of measuring energy.
struct EnergyArguments : EnergyMeterOptions {
  Options of_sums;  ///< options that only concern energies of kernels in context

  void declare(CLI::App& app);
};

}  // namespace kjoule
