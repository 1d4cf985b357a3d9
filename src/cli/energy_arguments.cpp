#include "cli/energy_arguments.hpp"

#include <cstdlib>

#include "cli/numbers.hpp"

namespace kjoule {

void EnergyArguments::declare(CLI::App& app) {
  const char* group = "Energy";
  // CLI11's envname() is not used, because then an exported variable would exclude the options that override
  // it.
  if (const char* exported = std::getenv("POWER_LOG_PATH")) exported_log = exported;
  CLI::Option* none = app.add_flag("--no-energy", off, "measure times only, no energy")->group(group);
  const auto add = [&](CLI::Option* option) { return option->group(group)->excludes(none); };
  CLI::Option* from = add(app.add_option("--power-source", source,
                                         "power meter: nvml-counter, nvml, nvidia-smi, wattsup, rapl or "
                                         "csv:FILE; default: the device's energy counter"));
  add(app.add_option("--power-log", log,
                     "CSV file that another program is writing, used as the power meter; default: the "
                     "environment variable POWER_LOG_PATH, if set"))
      ->excludes(from);
  add(app.add_option(
          "--interval", interval_s,
          "time between two readings of the power meter in seconds, for meters with an adjustable interval"))
      ->capture_default_str()
      ->check(above_zero());
  CLI::Option* precise = add(app.add_option(
      "--energy-precision", precision,
      "measure until the half-width of the energy sum's 95 % interval is below this share of the whole"));
  precise->capture_default_str();
  CLI::Option* limit = add(app.add_option(
      "--energy-time-limit", time_limit_s,
      "longest time of measuring energy, in seconds (each kernel is measured at least once); default: 13 to "
      "40, so that results are complete about 60 s after the program is paused"));
  limit->check(above_zero());
  of_sums = {precise, limit};
}

}  // namespace kjoule
