#include "cli/compare/check_exit_code.hpp"

#include <algorithm>

namespace kjoule {

int check_exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::adds_up:
      return 0;
    case Verdict::does_not_add_up:
      return 3;
    case Verdict::inconclusive:
      break;
  }
  return 4;
}

int check_exit_code(const Comparison& comparison) {
  // Code 3 (a rank does not add up) takes precedence over 4 (a rank is inconclusive).
  int code = check_exit_code(comparison.judgement.verdict);
  for (const RankResult& rank : comparison.ranks)
    if (const int own = check_exit_code(rank.judgement.verdict); own != 0)
      code = code == 0 ? own : std::min(code, own);
  return code;
}

int check_exit_code(const RunComparison& run) {
  const int code = check_exit_code(run.judgement.verdict);
  return code == 0 && !run.is_complete() ? 5 : code;
}

}  // namespace kjoule
