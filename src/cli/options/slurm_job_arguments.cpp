#include "cli/options/slurm_job_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/error.hpp"
#include "base/process/process.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/file_options.hpp"

namespace kjoule {

namespace {

constexpr const char* kSlurmGroup = "Slurm";

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
      if (option->nonpositional()) words.push_back(option->get_name());
      words.push_back(value);
    }
  }
  return words;
}

}  // namespace

void SlurmJobArguments::declare(CLI::App& app, const std::string& script_help, const std::string& time_help) {
  script_option_ = output_file(app.add_option("--slurm-script", script_, script_help), kSlurmScriptOutput);
  script_option_->group(kSlurmGroup);
  add(app.add_option("--time", time_, time_help))->check(slurm_time());
}

void SlurmJobArguments::declare_others(CLI::App& app) {
  add(app.add_option("--account", account_, "account of the jobs"));
  add(app.add_option("--partition", partition_, "partition of the jobs"));
  add(app.add_option("--sbatch", more_,
                     "another option of sbatch, such as --sbatch=--qos=low; can be repeated"))
      ->allow_extra_args(false);
}

CLI::Option* SlurmJobArguments::add(CLI::Option* option) const {
  return option->group(kSlurmGroup)->needs(script_option_);
}

SlurmScript SlurmJobArguments::script_of(const CLI::App& app, const std::string& job,
                                         const std::filesystem::path& output,
                                         const std::vector<std::string>& own,
                                         const std::string& instead) const {
  for (const std::string& option : more_) {
    const std::string name = option.substr(0, option.find('='));
    if (std::ranges::count(own, name) > 0)
      throw UsageError(fmt::format("--sbatch: the script of kjoule cannot have the option {}", name),
                       fmt::format("omit it; {} shape the script", instead));
  }
  std::vector<std::string> options;
  if (!time_.empty()) options.push_back("--time=" + time_);
  if (!account_.empty()) options.push_back("--account=" + account_);
  if (!partition_.empty()) options.push_back("--partition=" + partition_);
  options.insert(options.end(), more_.begin(), more_.end());
  return {job, options, std::filesystem::current_path(), std::filesystem::absolute(output).lexically_normal(),
          shell_text(words_without_slurm(app))};
}

}  // namespace kjoule
