#include "cli/energy_arguments.hpp"

#include <cstdlib>

#include "cli/numbers.hpp"

namespace kjoule {

void EnergyArguments::declare(CLI::App& app) {
  const char* group = "Energy";
  // CLI11's envname() is not used, because then an exported variable would exclude the options that override
  // it.
  if (const char* exported = std::getenv("POWER_LOG_PATH")) exported_log = exported;
  CLI::Option* none = app.add_flag("--no-energy", off, "measures times alone")->group(group);
  const auto add = [&](CLI::Option* option) { return option->group(group)->excludes(none); };
  CLI::Option* from = add(
      app.add_option("--power-source", source,
                     "nvml-counter, nvml, nvidia-smi, wattsup, rapl or csv:FILE (the GPU's own counter)"));
  add(app.add_option("--power-log", log,
                     "CSV that another program is writing, instead of a source (or POWER_LOG_PATH)"))
      ->excludes(from);
  add(app.add_option("--interval", interval_s, "s between readings, of sources that are told"))
      ->capture_default_str()
      ->check(above_zero());
  CLI::Option* precise = add(app.add_option("--energy-precision", precision,
                                            "half-width of the sum's 95 % interval to reach, of the whole"));
  precise->capture_default_str();
  CLI::Option* limit =
      add(app.add_option("--energy-time-limit", time_limit_s,
                         "of measuring energy, s; each kernel is measured once anyway; default: what is left "
                         "of a minute since the program was held, 15 to 40"));
  limit->check(above_zero());
  of_sums = {precise, limit};
}

}  // namespace kjoule
