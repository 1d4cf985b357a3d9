#include "cli/options/slurm_group_arguments.hpp"

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/confirmation.hpp"
#include "cli/options/numbers.hpp"

namespace kjoule {

namespace {

constexpr int64_t kMostNodes = 64;

}  // namespace

void SlurmGroupArguments::declare(CLI::App& app, CLI::Option* gpus) {
  job_.declare(app,
               "write a batch script of Slurm to this file, and exit: a job that measures the collective on "
               "all GPUs of its nodes, one task for each GPU",
               "time limit of the job, as HH:MM:SS");
  job_.script_option()->excludes(gpus);
  job_.add(app.add_option("--nodes", nodes_, "number of nodes"))
      ->capture_default_str()
      ->check(whole_number(1, kMostNodes));
  CLI::Option* of_node =
      job_.add(app.add_option("--gpus-per-node", gpus_per_node_, "number of GPUs of each node"))
          ->check(whole_number(1, kMostGpuNumber));
  job_.script_option()->needs(of_node);
  job_.declare_others(app);
}

void SlurmGroupArguments::write(const CLI::App& app, const std::string& operation,
                                const std::filesystem::path& folder) const {
  const SlurmScript script =
      job_.script_of(app, operation, folder,
                     {"--array", "--chdir", "--job-name", "--output", "--no-requeue", "--requeue", "--wrap",
                      "--nodes", "--ntasks", "--ntasks-per-node", "--gpus", "--gpus-per-node"},
                     "--nodes and --gpus-per-node");
  const std::string text = group_script_text(script, nodes_, gpus_per_node_);
  make_folder(folder);  // Slurm does not create the folder of the output
  write_named(job_.script(), text);
  print_output("{} measures {} on {} GPUs; submit it: sbatch {}\n", job_.script(), operation, ranks(),
               shell_text({job_.script()}));
}

}  // namespace kjoule
