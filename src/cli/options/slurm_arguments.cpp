#include "cli/options/slurm_arguments.hpp"

#include <fmt/format.h>

#include <regex>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "base/process/process.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/confirmation.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/numbers.hpp"
#include "sampling/slurm_script.hpp"

namespace kjoule {

namespace {

constexpr const char* kSlurmGroup = "Slurm";

/// Options of sbatch that the script sets itself, or that would replace its command.
constexpr const char* kOwnOptions[] = {"array",  "chdir",      "job-name", "open-mode", "output",
                                       "signal", "no-requeue", "requeue",  "wrap"};

/// Throws UsageError for an option of sbatch that the script sets itself.
void refuse_own_option(const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  for (const std::string own : kOwnOptions)
    if (name == "--" + own)
      throw UsageError(fmt::format("--sbatch: the script of kjoule cannot have the option {}", name),
                       "omit it; --array, and options of kjoule sample, shape the script");
}

/// Returns the validator of a time limit in one of the forms of sbatch, above 0.
CLI::Validator slurm_time() {
  return CLI::Validator(
      [](const std::string& text) {
        static const std::regex form(
            "[0-9]{1,7}(:[0-5]?[0-9]){0,2}|[0-9]{1,5}-[0-9]{1,2}(:[0-5]?[0-9]){0,2}");
        if (std::regex_match(text, form) && text.find_first_of("123456789") != std::string::npos)
          return std::string();
        return fmt::format("{} is not a time limit above 0, such as 04:00:00", text);
      },
      "");
}

/// Returns the command line, with the path of this kjoule, without the options that only shape the script.
std::vector<std::string> words_without_slurm(const CLI::App& app) {
  std::vector<std::string> words{std::filesystem::path(executable_folder()) / "kjoule", app.get_name()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_group() == kSlurmGroup) continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    if (is_flag) {
      words.push_back(option->get_name());
      continue;
    }
    for (const std::string& value : option->results()) {
      words.push_back(option->get_name());
      words.push_back(value);
    }
  }
  return words;
}

}  // namespace

void SlurmArguments::declare(CLI::App& app, const std::vector<CLI::Option*>& parts) {
  CLI::Option* script = output_file(
      app.add_option(
          "--slurm-script", script_,
          "write a batch script of Slurm to this file, and exit: an array of jobs that measure the "
          "sweep in parts, and requeue themselves until they are complete"),
      kSlurmScriptOutput);
  script->group(kSlurmGroup);
  for (CLI::Option* part : parts) script->excludes(part);
  const auto add = [&](CLI::Option* option) { return option->group(kSlurmGroup)->needs(script); };
  add(app.add_option("--array", tasks_, "number of tasks of the array; each measures one part"))
      ->capture_default_str()
      ->check(whole_number(1, kMostParts));
  add(app.add_option("--time", time_, "time limit of each task, as HH:MM:SS; a task continues after it"))
      ->check(slurm_time());
  add(app.add_option("--account", account_, "account of the jobs"));
  add(app.add_option("--partition", partition_, "partition of the jobs"));
  add(app.add_option("--gpus-per-node", gpus_, "number of GPUs that each task reserves; it uses one"))
      ->check(whole_number(1, kMostGpuNumber));
  add(app.add_option("--sbatch", more_,
                     "another option of sbatch, such as --sbatch=--qos=low; can be repeated"))
      ->allow_extra_args(false);
}

std::vector<std::string> SlurmArguments::sbatch_options() const {
  std::vector<std::string> options;
  if (!time_.empty()) options.push_back("--time=" + time_);
  if (!account_.empty()) options.push_back("--account=" + account_);
  if (!partition_.empty()) options.push_back("--partition=" + partition_);
  if (gpus_ > 0) options.push_back(fmt::format("--gpus-per-node={}", gpus_));
  for (const std::string& option : more_) refuse_own_option(option);
  options.insert(options.end(), more_.begin(), more_.end());
  return options;
}

void SlurmArguments::write(const CLI::App& app, const std::string& sweep, size_t samples,
                           const std::filesystem::path& folder) const {
  if (tasks_ > samples)
    throw UsageError(fmt::format("--array {}: the sweep has only {} samples", tasks_, samples),
                     "give a smaller number");
  const std::filesystem::path log = std::filesystem::absolute(folder).lexically_normal() / "sampling_log";
  const std::string text =
      slurm_script_text({sweep, tasks_, sbatch_options(), std::filesystem::current_path(), log,
                         shell_text(words_without_slurm(app))});
  make_folder(folder);
  make_subfolder(log);  // Slurm does not create the folder of the outputs
  write_named(script_, text);
  print_output("{} measures {} samples in {} parts; submit it: sbatch {}\n", script_, samples, tasks_,
               shell_text({script_}));
}

}  // namespace kjoule
