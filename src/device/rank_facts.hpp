#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/json/json_fields.hpp"

namespace kjoule {

/// The rank of a process among the processes of its program, and their number, from the environment variables
/// that the program's launcher sets. A member has no value if the launcher does not set its variable.
struct RankFacts {
  std::optional<int> rank;         ///< rank of this process, from 0
  std::optional<int> ranks;        ///< number of processes of the program
  std::optional<int> local_rank;   ///< rank of this process among those on its machine, from 0
  std::optional<int> local_ranks;  ///< number of processes on this machine
  std::optional<int> gpu;          ///< device number in the process, if it may work on several GPUs
  std::optional<uint32_t> board;   ///< number of this GPU on the RankBoard; absent without a board
  bool operator==(const RankFacts&) const = default;
  /// Returns the number of the program's processes on other machines, which kjoule cannot pause; 0 if not
  /// known.
  int ranks_elsewhere() const { return ranks && local_ranks ? std::max(0, *ranks - *local_ranks) : 0; }
};

/// Returns the facts from the variables of torchrun (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE), Open
/// MPI (OMPI_COMM_WORLD_...), MPICH and Intel MPI (PMI_RANK, MPI_LOCALRANKID, ...), or Slurm (SLURM_PROCID,
/// ...). `variable` returns the value of an environment variable, or null if it is not set.
RankFacts read_rank_facts(const std::function<const char*(const char*)>& variable);

/// Returns "rank 1"; if the rank is not known, "GPU 1", or "process 1234" if the process has one GPU.
std::string rank_name(const RankFacts& facts, int process);

template <class Fields>
void describe(Fields& fields, RankFacts& facts) {
  fields("rank", facts.rank);
  fields("ranks", facts.ranks);
  fields("local_rank", facts.local_rank);
  fields("local_ranks", facts.local_ranks);
  fields("gpu", facts.gpu);
  fields("board", facts.board);
}

}  // namespace kjoule
