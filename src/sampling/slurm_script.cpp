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

/// Returns the lines that all scripts have. `about` says what the job does, `options` are the lines #SBATCH
/// of this kind of script, and `numbers` are the patterns of Slurm for the numbers of the job in a file name.
std::string beginning_of_script(const SlurmScript& script, const std::string& about,
                                const std::string& options, const std::string& numbers) {
  std::string text = fmt::format(
      "{} {}: {}\n"
      "#SBATCH --job-name={}\n"
      "{}"
      "#SBATCH --chdir={}\n"
      "#SBATCH --output={}\n",
      kSlurmScriptBeginning, kjoule_version, about, job_name(script.job), options,
      path_of_line(script.folder), path_of_line(script.output / "slurm"));
  text.insert(text.size() - 2, "_" + numbers + ".txt");
  for (const std::string& option : script.options) {
    check_option(option);
    text += "#SBATCH " + option + "\n";
  }
  return text;
}

}  // namespace

std::string array_script_text(const SlurmScript& script, size_t tasks) {
  const std::string options = fmt::format(
      "#SBATCH --array=1-{}\n"
      "#SBATCH --requeue\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --signal=B:TERM@{}\n",
      tasks, kNotice_s);
  const std::string about = fmt::format(
      "measures a sweep in {} parts.\n"
      "# Submit it with sbatch. A task that Slurm ends is requeued and continues; to continue tasks that "
      "failed\n"
      "# or were cancelled, submit the script again.",
      tasks);
  // With exec, Slurm's signals reach kjoule instead of a shell that waits for it.
  return beginning_of_script(script, about, options, "%A_%a") +
         fmt::format("exec {} --parts {} --part \"$SLURM_ARRAY_TASK_ID\" --requeue\n", script.command, tasks);
}

std::string group_script_text(const SlurmScript& script, int nodes, int gpus_per_node) {
  // All tasks of a node see all its GPUs, so that NCCL can connect them directly.
  const std::string options = fmt::format(
      "#SBATCH --nodes={}\n"
      "#SBATCH --ntasks-per-node={}\n"
      "#SBATCH --gpus-per-node={}\n"
      "#SBATCH --no-requeue\n",
      nodes, gpus_per_node, gpus_per_node);
  const std::string about = fmt::format(
      "measures a collective on {} GPUs.\n"
      "# Submit it with sbatch.",
      nodes * gpus_per_node);
  return beginning_of_script(script, about, options, "%j") +
         fmt::format(
             "# Rank 0 waits on the first node for the others. MASTER_ADDR may name another address of it.\n"
             "MASTER_ADDR=\"${{MASTER_ADDR:-$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n "
             "1)}}\"\n"
             "export MASTER_ADDR\n"
             "exec srun --nodes={} --ntasks={} --ntasks-per-node={} {}\n",
             nodes, nodes * gpus_per_node, gpus_per_node, script.command);
}

}  // namespace kjoule
