#pragma once
#include <functional>
#include <optional>
#include <string>

namespace kjoule {

/// The place of this process in a group of ranks that torchrun or srun started, perhaps on several machines.
struct GroupPlace {
  int rank = 0, ranks = 1;
  int gpu = 0;          ///< number of this rank's GPU, as CUDA numbers them for this process
  std::string machine;  ///< name of this machine
  /// What distinguishes this group from others on the same machines. It is no secret.
  std::string run;
  std::string address;  ///< of the machine of rank 0
  int port = 0;         ///< on which rank 0 listens
  bool is_one_machine = false;

  /// Returns "rank 3 (GPU 1 of NAME)".
  std::string name() const;
};

/// Returns the value of an environment variable; an empty text if it is not set.
using VariableReader = std::function<std::string(const char*)>;

/// Returns the place that the variables of torchrun (RANK, WORLD_SIZE, LOCAL_RANK, ...) or of srun
/// (SLURM_PROCID, SLURM_STEP_NUM_TASKS, ...) state; nothing if neither started this process as one of several
/// ranks. A torchrun in a step of srun takes precedence. Throws Error if a variable is missing or wrong, or
/// if the machine of rank 0 is not known.
std::optional<GroupPlace> read_group_place(const VariableReader& variable, const std::string& machine);

/// Returns the name of a rank in messages: "rank 3 (GPU 1 of NAME)", or "rank 3 (GPU 1)" without a machine.
std::string name_of_rank(int rank, int gpu, const std::string& machine);

}  // namespace kjoule
