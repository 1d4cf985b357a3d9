#pragma once
#include <string>

namespace kjoule {

/// Whether the sum over a program's kernels is what the whole takes.
enum class Verdict { adds_up, does_not_add_up, inconclusive };

/// As reports name it.
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

/// A verdict and the numbers that it rests on.
struct Judgement {
  Verdict verdict = Verdict::inconclusive;
  std::string reason;  ///< one sentence
};

}  // namespace kjoule
