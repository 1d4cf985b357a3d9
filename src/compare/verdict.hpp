#pragma once
#include <limits>
#include <string>

namespace kjoule {

/// Whether the sum over a program's kernels predicts the whole.
enum class Verdict { adds_up, does_not_add_up, inconclusive };

/// Returns the verdict as reports show it.
inline const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::adds_up:
      return "adds up";
    case Verdict::does_not_add_up:
      return "does not add up";
    case Verdict::inconclusive:
      break;
  }
  return "inconclusive";
}

/// A verdict and its reason with the numbers.
struct Judgement {
  Verdict verdict = Verdict::inconclusive;
  std::string reason;  ///< one sentence
  /// Agreement::within(); infinite if the sum has no interval.
  double within = std::numeric_limits<double>::infinity();
};

/// Returns the verdict with the number that belongs to it: "adds up within 0.35 %".
std::string verdict_text(const Judgement& judgement);

}  // namespace kjoule
