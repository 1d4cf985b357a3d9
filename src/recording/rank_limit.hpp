#pragma once
#include <cstdint>

namespace kjoule {

/// Most ranks of a program whose numbers an option or a trace names: far more than any program has.
constexpr int64_t kMostNamedRanks = 1'000'000;

}  // namespace kjoule
