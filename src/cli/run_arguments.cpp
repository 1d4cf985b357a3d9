#include "cli/run_arguments.hpp"

#include "cli/numbers.hpp"

namespace kjoule {

void RunArguments::declare_folder(CLI::App& app) {
  CLI::Option* output =
      app.add_option("-o,--output-dir", output_dir, "folder of the results; an older one is moved aside")
          ->capture_default_str();
  app.add_option("--resume", resume, "folder of a killed run: measures only what is missing in it")
      ->excludes(output);
}

void RunArguments::declare_runs(CLI::App& app) {
  warmup_option = app.add_option("--warmup", warmup, "runs before the timed ones")
                      ->capture_default_str()
                      ->check(at_least(0));
  runs_option =
      app.add_option("--runs", runs, "timed runs, in one block")->capture_default_str()->check(at_least(1));
}

}  // namespace kjoule
