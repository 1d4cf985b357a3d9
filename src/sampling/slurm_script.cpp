#include "sampling/slurm_script.hpp"

#include <fmt/format.h>

#include <cctype>
#include <regex>

#include "base/error.hpp"
#include "kjoule_version.hpp"

namespace kjoule {

namespace {

/// Time before a job's time limit at which it is sent SIGTERM, s. Slurm may send the signal up to 60 s
/// earlier.
constexpr int kNotice_s = 90;

/// Returns a path of a line #SBATCH. Throws Error if it has characters that would end the line or the path.
std::string path_of_line(const std::filesystem::path& path) {
  const std::string text = path.string();
  if (text.find_first_of("\n\r\"\\%") != std::string::npos)
    throw Error(text + ": a Slurm script cannot contain this path, because of its special characters",
                "use a folder with another name");
  return '"' + text + '"';
}

/// Returns the name with "-" for each character that is not a letter, a digit or one of "_.-".
std::string job_name(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') c = '-';
  return "kjoule-" + name;
}

void check_option(const std::string& option) {
  static const std::regex form("--[a-z][a-z-]*(=[A-Za-z0-9_.,:;+@%/()&|\\[\\]*-]+)?");
  if (option.size() > 1000 || !std::regex_match(option, form))
    throw Error("'" + option + "' is not an option of sbatch",
                "give it as --NAME=VALUE, for example --qos=low");
}

}  // namespace

std::string slurm_script_text(const SlurmScript& script) {
  std::string text = fmt::format(
      "{} {}: measures a sweep in {} parts.\n"
      "# Submit it with sbatch. A task that Slurm ends is requeued and continues; to continue tasks that "
      "failed\n"
      "# or were cancelled, submit the script again.\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --array=1-{}\n"
      "#SBATCH --requeue\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --signal=B:TERM@{}\n"
      "#SBATCH --chdir={}\n"
      "#SBATCH --output={}\n",
      kSlurmScriptBeginning, kjoule_version, script.tasks, job_name(script.sweep), script.tasks, kNotice_s,
      path_of_line(script.folder), path_of_line(script.output / "slurm"));
  // "%A_%a" is the pattern of Slurm for the numbers of the job and of the task.
  text.insert(text.size() - 2, "_%A_%a.txt");
  for (const std::string& option : script.options) {
    check_option(option);
    text += "#SBATCH " + option + "\n";
  }
  // With exec, Slurm's signals reach kjoule instead of a shell that waits for it.
  return text + fmt::format("exec {} --parts {} --part \"$SLURM_ARRAY_TASK_ID\" --requeue\n", script.command,
                            script.tasks);
}

}  // namespace kjoule
