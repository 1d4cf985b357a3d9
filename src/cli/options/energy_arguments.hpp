#pragma once
#include <CLI/CLI.hpp>

#include <string>

#include "cli/options/effect.hpp"
#include "run/energy_meters.hpp"

namespace kjoule {

/// Declares --power-source and --power-log, which need the flag `energy`. `otherwise` is the meter that is
/// used without them, for the help.
void declare_named_meter(CLI::App& app, CLI::Option* energy, const std::string& otherwise,
                         EnergyMeterOptions& meters);

/// Command-line options of a power meter, and of the timed blocks that it reads.
struct MeterArguments : EnergyMeterOptions {
  int block_kernels = 10;                             ///< number of kernels that have a block of their own
  bool align = false;                                 ///< whether a load pattern is run after the measurement
  Options of_meters;                                  ///< options that have an effect only if a meter is read
  const CLI::Option* block_kernels_option = nullptr;  ///< --block-kernels
  Options of_blocks;  ///< --block, --block-kernels and --align, as far as the command has them

  /// Declares --power-source, --power-log, --interval and --no-energy.
  void declare_meter(CLI::App& app);
  /// Declares --block with the help text of the command.
  void declare_block(CLI::App& app, const std::string& help);
  void declare_block_kernels(CLI::App& app);
  void declare_align(CLI::App& app);

 protected:
  CLI::Option* none_ = nullptr;  ///< --no-energy
};

/// Command-line options of a power meter, of its timed blocks, and of measuring energy in context.
struct EnergyArguments : MeterArguments {
  Options of_sums;  ///< options that have an effect only on energies of kernels in context

  void declare(CLI::App& app);
};

}  // namespace kjoule
