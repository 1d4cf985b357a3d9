#include "cli/options/slurm_arguments.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/confirmation.hpp"
#include "cli/options/numbers.hpp"

namespace kjoule {

void SlurmArguments::declare(CLI::App& app, const std::vector<CLI::Option*>& parts) {
  job_.declare(
      app,
      "write a batch script of Slurm to this file, and exit: an array of jobs that measure the sweep "
      "in parts, and requeue themselves until they are complete",
      "time limit of each task, as HH:MM:SS; a task continues after it");
  for (CLI::Option* part : parts) job_.script_option()->excludes(part);
  job_.add(app.add_option("--array", tasks_, "number of tasks of the array; each measures one part"))
      ->capture_default_str()
      ->check(whole_number(1, kMostParts));
  job_.add(app.add_option("--gpus-per-node", gpus_, "number of GPUs that each task reserves; it uses one"))
      ->check(whole_number(1, kMostGpuNumber));
  job_.declare_others(app);
}

void SlurmArguments::write(const CLI::App& app, const std::string& sweep, size_t samples,
                           const std::filesystem::path& folder) const {
  if (tasks_ > samples)
    throw UsageError(fmt::format("--array {}: the sweep has only {} samples", tasks_, samples),
                     "give a smaller number");
  const std::filesystem::path log = std::filesystem::absolute(folder).lexically_normal() / "sampling_log";
  SlurmScript script = job_.script_of(app, sweep, log,
                                      {"--array", "--chdir", "--job-name", "--open-mode", "--output",
                                       "--signal", "--no-requeue", "--requeue", "--wrap"},
                                      "--array, and options of kjoule sample,");
  if (gpus_ > 0) script.options.push_back(fmt::format("--gpus-per-node={}", gpus_));
  const std::string text = array_script_text(script, tasks_);
  make_folder(folder);
  make_subfolder(log);  // Slurm does not create the folder of the outputs
  write_named(job_.script(), text);
  print_output("{} measures {} samples in {} parts; submit it: sbatch {}\n", job_.script(), samples, tasks_,
               shell_text({job_.script()}));
}

}  // namespace kjoule
