#pragma once
#include <limits>
#include <string>

namespace kjoule {

/// Whether the sum of a program's kernels predicts the whole (glossary).
enum class Verdict { adds_up, does_not_add_up, inconclusive };

/// Returns the name of the verdict in reports.
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

/// A verdict and a sentence with its reason and its numbers.
struct Judgement {
  Verdict verdict = Verdict::inconclusive;
  std::string reason;  ///< one sentence
  /// Agreement::within(); infinite if the sum has no interval.
  double within = std::numeric_limits<double>::infinity();
};

/// Returns the verdict as text. If the sum adds up, the text contains Judgement::within: "adds up within 0.35
/// %".
std::string verdict_text(const Judgement& judgement);

}  // namespace kjoule
