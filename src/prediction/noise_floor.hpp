#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "prediction/operator_kind.hpp"

namespace kjoule {

/// How much measurements of the same work scatter. No model that predicts from the shape can have a smaller
/// mean error on such rows.
struct NoiseFloor {
  double mean_percent = 0;  ///< mean distance of a row from the true value of its work, in %
  /// The distance of a row from the centre of its replicates that 90 % of the rows do not exceed, as a
  /// logarithm.
  double distance_90_log = 0;
  size_t rows = 0;  ///< number of rows that have a replicate
};

/// Returns the groups of rows that are replicates of each other, as numbers of rows: their features, FLOPs
/// and streams are equal, so that they run the same kernels on tensors of the same sizes, also if their
/// shapes differ (2 x 4 and 4 x 2 sequences and tokens of a linear operator). Each group has at least two
/// rows.
std::vector<std::vector<size_t>> find_replicates(const std::vector<OperatorWork>& works);

/// Returns the noise floor, or nothing if fewer than 10 rows have a replicate.
std::optional<NoiseFloor> find_noise_floor(const std::vector<OperatorWork>& works,
                                           const std::vector<double>& costs);

}  // namespace kjoule
