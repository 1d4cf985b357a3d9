#include "compare/iteration/rank_group_result.hpp"

#include <algorithm>
#include <utility>

namespace kjoule {

namespace {

int severity(Verdict verdict) {
  if (verdict == Verdict::does_not_add_up) return 2;
  return verdict == Verdict::inconclusive ? 1 : 0;
}

}  // namespace

const RankResult& slowest_rank(const std::vector<RankResult>& ranks) {
  return *std::ranges::max_element(ranks, {}, [](const RankResult& rank) { return rank.whole_s.value; });
}

const RankResult& least_certain_rank(const std::vector<RankResult>& ranks) {
  return *std::ranges::max_element(ranks, {}, [](const RankResult& rank) {
    return std::pair(severity(rank.judgement.verdict), rank.judgement.within);
  });
}

}  // namespace kjoule
