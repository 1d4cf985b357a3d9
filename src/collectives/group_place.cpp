#include "collectives/group_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/text/parse_number.hpp"
#include "collectives/slurm_nodes.hpp"

namespace kjoule {

namespace {

constexpr int64_t kMostRanksStated = 1'000'000, kLargestPort = 65535;
/// The ports of steps of Slurm are below those that the system gives to outgoing connections.
constexpr uint64_t kFirstSlurmPort = 20000, kSlurmPorts = 10000;
/// Slurm numbers the shells of jobs, which are no steps of srun, from here.
constexpr uint64_t kFirstSpecialStep = 0xfffffff0;
constexpr size_t kLongestRunId = 200;

/// Returns a number that a launcher's variable states. Throws Error if it is missing or out of range.
int64_t stated_number(const VariableReader& variable, const char* name, int64_t least, int64_t most) {
  const std::string text = variable(name);
  const auto number = parse_whole_number(text);
  if (!number || *number < least || *number > most)
    throw Error(
        fmt::format("the environment variable {} is '{}', which is no number from {} to {}", name, text,
                    least, most),
        "start kjoule with torchrun or srun, which set it, or choose GPUs of this machine with --gpus");
  return *number;
}

/// Returns the port that follows MASTER_PORT, on which torchrun itself or the user's program listens.
int port_after_master(const VariableReader& variable) {
  const int64_t master = stated_number(variable, "MASTER_PORT", 1, kLargestPort);
  return static_cast<int>(master < kLargestPort ? master + 1 : master - 1);
}

/// Returns the number of a rank's GPU: its number among the ranks of its machine, or 0 if the process is
/// allowed to see a single GPU.
int gpu_of_rank(const VariableReader& variable, const char* local_rank) {
  const std::string visible = variable("CUDA_VISIBLE_DEVICES");
  if (!visible.empty() && visible.find(',') == std::string::npos) return 0;
  return static_cast<int>(stated_number(variable, local_rank, 0, kMostRanksStated));
}

/// Reads rank and number of ranks.
void read_rank(GroupPlace& place, const VariableReader& variable, const char* rank, const char* ranks) {
  place.ranks = static_cast<int>(stated_number(variable, ranks, 1, kMostRanksStated));
  place.rank = static_cast<int>(stated_number(variable, rank, 0, place.ranks - 1));
}

GroupPlace place_of_torchrun(const VariableReader& variable) {
  GroupPlace place;
  read_rank(place, variable, "RANK", "WORLD_SIZE");
  place.gpu = gpu_of_rank(variable, "LOCAL_RANK");
  place.is_one_machine = variable("LOCAL_WORLD_SIZE") == variable("WORLD_SIZE");
  place.address = variable("MASTER_ADDR");
  if (place.address.empty() && !place.is_one_machine)
    throw Error("the environment variable MASTER_ADDR is not set, so the machine of rank 0 is not known",
                "start kjoule with torchrun, which sets it");
  place.port = port_after_master(variable);
  place.run = fmt::format("torchrun {} {} {}", variable("MASTER_PORT"),
                          variable("TORCHELASTIC_RESTART_COUNT"), variable("TORCHELASTIC_RUN_ID"));
  place.run.resize(std::min(place.run.size(), kLongestRunId));
  return place;
}

/// Returns the address of the machine of rank 0, which is the first one of a step.
std::string address_of_step(const VariableReader& variable) {
  if (std::string stated = variable("MASTER_ADDR"); !stated.empty()) return stated;
  std::string nodes = variable("SLURM_STEP_NODELIST");
  if (nodes.empty()) nodes = variable("SLURM_JOB_NODELIST");
  if (const auto first = first_slurm_node(nodes)) return *first;
  throw Error(fmt::format("the machine of rank 0 is not known from Slurm's list of nodes, '{}'", nodes),
              "set MASTER_ADDR to the name of the first node: "
              "export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)");
}

/// Returns the number of tasks of the step; that of the job if srun did not state it.
const char* variable_of_tasks(const VariableReader& variable) {
  return variable("SLURM_STEP_NUM_TASKS").empty() ? "SLURM_NTASKS" : "SLURM_STEP_NUM_TASKS";
}

GroupPlace place_of_srun(const VariableReader& variable, uint64_t step) {
  GroupPlace place;
  read_rank(place, variable, "SLURM_PROCID", variable_of_tasks(variable));
  place.gpu = gpu_of_rank(variable, "SLURM_LOCALID");
  place.is_one_machine = variable("SLURM_STEP_NUM_NODES") == "1";
  if (!place.is_one_machine) place.address = address_of_step(variable);
  const auto job = static_cast<uint64_t>(
      stated_number(variable, "SLURM_JOB_ID", 0, std::numeric_limits<int64_t>::max() / 2));
  place.port = variable("MASTER_PORT").empty()
                   ? static_cast<int>(kFirstSlurmPort + (job + step) % kSlurmPorts)
                   : port_after_master(variable);
  place.run = fmt::format("Slurm {} {} {}", job, step, variable("SLURM_RESTART_COUNT"));
  return place;
}

/// Returns the step of srun that started this process; nothing if this is no step of several tasks.
std::optional<uint64_t> step_of_srun(const VariableReader& variable) {
  const auto step = parse_unsigned_number(variable("SLURM_STEP_ID"));
  const auto tasks = parse_unsigned_number(variable(variable_of_tasks(variable)));
  const bool is_group = step && *step < kFirstSpecialStep && tasks && *tasks > 1;
  return is_group && !variable("SLURM_PROCID").empty() ? step : std::nullopt;
}

/// Returns whether torchrun started this process as one of several. Others set RANK and WORLD_SIZE, too.
bool is_of_torchrun(const VariableReader& variable) {
  const bool has_ranks = !variable("RANK").empty() && !variable("WORLD_SIZE").empty();
  const bool is_torchrun = !variable("TORCHELASTIC_RUN_ID").empty() || !variable("GROUP_RANK").empty();
  return has_ranks && is_torchrun && variable("WORLD_SIZE") != "1";
}

}  // namespace

std::string GroupPlace::name() const {
  return name_of_rank(rank, gpu, machine);
}

std::optional<GroupPlace> read_group_place(const VariableReader& variable, const std::string& machine) {
  std::optional<GroupPlace> place;
  if (is_of_torchrun(variable))
    place = place_of_torchrun(variable);
  else if (const auto step = step_of_srun(variable))
    place = place_of_srun(variable, *step);
  if (!place) return {};
  place->machine = machine;
  if (place->is_one_machine) place->address = "127.0.0.1";
  return place;
}

std::string name_of_rank(int rank, int gpu, const std::string& machine) {
  return fmt::format("rank {} (GPU {}{})", rank, gpu, machine.empty() ? "" : " of " + machine);
}

}  // namespace kjoule
