#include "cli/compare/check_exit_code.hpp"

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

int check_exit_code(const RunComparison& run) {
  const int code = check_exit_code(run.judgement.verdict);
  return code == 0 && !run.is_complete() ? 5 : code;
}

}  // namespace kjoule
