#include "cli/options/run_arguments.hpp"

#include "cli/options/file_options.hpp"
#include "cli/options/numbers.hpp"

namespace kjoule {

void RunArguments::declare_folder(CLI::App& app) {
  CLI::Option* output = declare_output(app);
  resumed_folder(
      app.add_option("--resume", resume, "results folder of an interrupted run that is to be completed"))
      ->excludes(output);
}

CLI::Option* RunArguments::declare_output(CLI::App& app) {
  return results_folder(
             app.add_option(
                 "-o,--output-dir", output_dir,
                 "folder for the results; a folder that already contains results is renamed first"))
      ->capture_default_str();
}

void RunArguments::declare_runs(CLI::App& app) {
  warmup_option = app.add_option("--warmup", warmup, "number of untimed iterations before the timed ones")
                      ->capture_default_str()
                      ->check(whole_number(0, kMostRuns));
  runs_option = app.add_option("--runs", runs, "number of timed iterations")
                    ->capture_default_str()
                    ->check(whole_number(1, kMostRuns));
}

void RunArguments::declare_items(CLI::App& app) {
  app.add_option("--items", items,
                 "number of tokens or samples that one iteration processes; times and energies are then also "
                 "reported per item")
      ->check(number_between(1e-6, 1e15));
}

}  // namespace kjoule
