#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace kjoule {

/// What a script of Slurm that measures a sweep needs.
struct SlurmScript {
  std::string sweep;                 ///< name of the sweep, for the name of the job
  size_t tasks = 1;                  ///< number of the array's tasks, each of which measures one part
  std::vector<std::string> options;  ///< options of sbatch, each as "--time=01:00:00"
  std::filesystem::path folder;      ///< folder in which the command runs
  std::filesystem::path output;      ///< folder for the outputs of the tasks
  std::string command;  ///< command of the sweep as a shell reads it, without part and number of parts
};

/// The beginning of each script, by which kjoule recognises its own.
inline constexpr const char* kSlurmScriptBeginning = "#!/bin/bash\n# Written by kjoule";

/// Returns the text of a batch script: an array of jobs that requeue themselves, each of which measures one
/// part of the sweep. Throws Error if an option of sbatch is not of the form --NAME or --NAME=VALUE, or has
/// characters that the script cannot contain.
std::string slurm_script_text(const SlurmScript& script);

}  // namespace kjoule
