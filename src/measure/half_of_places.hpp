#pragma once
#include <optional>
#include <vector>

#include "results/half_of_places.hpp"
#include "trace/recording.hpp"

namespace kjoule {

/// Draws half of each kernel's places, takes their mean from `predicting_s` and compares it, times the number
/// of the other places, with their times in `measured_s`; then the same with the halves exchanged. The two
/// are times by launch from independent measurements. Returns nothing when no kernel has two places.
std::optional<HalfOfPlaces> test_halves(const KernelTable& table, const std::vector<double>& predicting_s,
                                        const std::vector<double>& measured_s);

}  // namespace kjoule
