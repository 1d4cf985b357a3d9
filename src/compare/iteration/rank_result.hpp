#pragma once
#include <optional>
#include <string>

#include "base/numbers/interval.hpp"
#include "compare/iteration/verdict.hpp"

namespace kjoule {

/// The comparison of sum and whole of one rank, in a program with several ranks.
struct RankResult {
  std::string rank;    ///< "rank 1", or "process 1234" if the rank's number is not known
  std::string gpu;     ///< name of its GPU
  std::string uuid;    ///< UUID of its GPU
  std::string folder;  ///< folder of its results
  size_t launches = 0;
  Interval whole_s, sum_s;
  Judgement judgement;
  double error() const { return sum_s.value / whole_s.value - 1; }
};

}  // namespace kjoule
