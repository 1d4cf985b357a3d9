#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace kjoule {

/// What scripts of Slurm have in common.
struct SlurmScript {
  std::string job;                   ///< name of the job, without "kjoule-"
  std::vector<std::string> options;  ///< options of sbatch, each as "--time=01:00:00"
  std::filesystem::path folder;      ///< folder in which the command runs
  std::filesystem::path output;      ///< folder for the outputs of the job
  std::string command;               ///< as a shell reads it
};

/// The beginning of each script, by which kjoule recognises its own.
inline constexpr const char* kSlurmScriptBeginning = "#!/bin/bash\n# Written by kjoule";

// The following functions throw Error if an option of sbatch is not of the form --NAME or --NAME=VALUE, or
// has characters that the script cannot contain.

/// Returns the text of a batch script for an array of jobs that requeue themselves, each of which measures
/// one part of a sweep. The command states neither the part nor the number of parts, which are `tasks`.
std::string array_script_text(const SlurmScript& script, size_t tasks);
/// Returns the text of a batch script that starts the command with srun, once for each GPU of several nodes.
std::string group_script_text(const SlurmScript& script, int nodes, int gpus_per_node);

}  // namespace kjoule
