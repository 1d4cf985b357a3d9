#include "device/rank_facts.hpp"

#include <array>
#include <charconv>
#include <string_view>

namespace kjoule {

namespace {

/// The names of one launcher's variables; null if the launcher has no such variable.
struct LauncherVariables {
  const char *rank, *ranks, *local_rank, *local_ranks;
};

/// In the order in which they are tried. A program that torchrun starts within a job has the variables of
/// both, so those of the job come last.
constexpr std::array kLaunchers{
    LauncherVariables{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    LauncherVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                      "OMPI_COMM_WORLD_LOCAL_SIZE"},
    LauncherVariables{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    LauncherVariables{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr}};

}  // namespace

std::string rank_name(const RankFacts& facts, int process) {
  if (facts.rank) return "rank " + std::to_string(*facts.rank);
  return facts.gpu ? "GPU " + std::to_string(*facts.gpu) : "process " + std::to_string(process);
}

RankFacts read_rank_facts(const std::function<const char*(const char*)>& variable) {
  const auto number = [&](const char* name) -> std::optional<int> {
    const char* text = name == nullptr ? nullptr : variable(name);
    if (text == nullptr) return {};
    const std::string_view digits(text);
    int value = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failed != std::errc() || end != digits.data() + digits.size() || value < 0) return {};
    return value;
  };
  for (const LauncherVariables& launcher : kLaunchers) {
    const RankFacts facts{number(launcher.rank),
                          number(launcher.ranks),
                          number(launcher.local_rank),
                          number(launcher.local_ranks),
                          {},
                          {}};
    if (facts.rank) return facts;
  }
  return {};
}

}  // namespace kjoule
