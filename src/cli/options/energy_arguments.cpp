#include "cli/options/energy_arguments.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/options/file_options.hpp"
#include "cli/options/numbers.hpp"
#include "power/meters/power_source.hpp"

namespace kjoule {

namespace {

constexpr const char* kEnergyGroup = "Energy";

}  // namespace

void declare_named_meter(CLI::App& app, CLI::Option* energy, const std::string& otherwise,
                         EnergyMeterOptions& meters) {
  const auto add = [&](CLI::Option* option) { return option->group(kEnergyGroup)->needs(energy); };
  CLI::Option* source = add(meter_input(app.add_option(
      "--power-source", meters.source, fmt::format("power meter: {}; default: {}", kSourceHelp, otherwise))));
  add(input_file(app.add_option(
          "--power-log", meters.log,
          "CSV file of powers that another program writes meanwhile, used as the power meter")))
      ->excludes(source);
}

void MeterArguments::declare_meter(CLI::App& app) {
  // CLI11's envname() is not used, because then an exported variable would exclude the options that override
  // it.
  if (const char* exported = std::getenv("POWER_LOG_PATH")) exported_log = exported;
  none_ = app.add_flag("--no-energy", off, "measure times only, no energy")->group(kEnergyGroup);
  const auto add = [&](CLI::Option* option) {
    of_meters.push_back(option);
    return option->group(kEnergyGroup)->excludes(none_);
  };
  CLI::Option* from =
      add(meter_input(app.add_option("--power-source", source, fmt::format("power meter: {}", kSourceHelp))));
  add(input_file(
          app.add_option("--power-log", log,
                         "CSV file of powers that another program writes meanwhile, used as the power meter; "
                         "default: the environment variable POWER_LOG_PATH, if set")))
      ->excludes(from);
  add(app.add_option("--averaging", averaging_s,
                     "averaging time in seconds of the meter of a power log; default: as known of the log's "
                     "columns, otherwise the time between readings"))
      ->check(duration());
  add(app.add_option(
          "--interval", interval_s,
          "time between two readings of the power meter in seconds, for meters with an adjustable interval"))
      ->capture_default_str()
      ->check(duration());
}

void MeterArguments::declare_block(CLI::App& app, const std::string& help) {
  with_blocks = true;
  of_blocks.push_back(app.add_option("--block", block_s, help)->group(kEnergyGroup)->check(duration()));
}

void MeterArguments::declare_block_kernels(CLI::App& app) {
  block_kernels_option =
      app.add_option(
             "--block-kernels", block_kernels,
             "number of kernels, from the largest, each of which is repeated by itself for the power "
             "meter; the other kernels of each tier (vendor library, framework) are measured together")
          ->group(kEnergyGroup)
          ->capture_default_str()
          ->check(whole_number(0, kMostShown));
  of_blocks.push_back(block_kernels_option);
}

void MeterArguments::declare_align(CLI::App& app) {
  of_blocks.push_back(
      app.add_flag("--align", align,
                   "alternate load and idle time in a known pattern after the measurement, so that kjoule "
                   "energy finds the clock offset of a power log that was written on another host; the "
                   "pattern lasts about 63 readings of the meter (a minute at 1 Hz)")
          ->group(kEnergyGroup));
}

void EnergyArguments::declare(CLI::App& app) {
  declare_meter(app);
  const auto add = [&](CLI::Option* option) { return option->group(kEnergyGroup)->excludes(none_); };
  CLI::Option* precise =
      add(app.add_option("--energy-precision", precision,
                         "measure until the half-width of the 95 % interval of the kernels' summed energy is "
                         "below this share of the whole's energy"));
  precise->capture_default_str();
  CLI::Option* limit = add(
      app.add_option("--energy-time-limit", time_limit_s,
                     "longest time in seconds for measuring energy (each kernel is measured at least once)"));
  limit->capture_default_str()->check(duration());
  of_sums = {precise, limit};
}

}  // namespace kjoule
