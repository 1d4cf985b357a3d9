#pragma once
#include <cstddef>
#include <map>
#include <vector>

#include "prediction/operator_kind.hpp"

namespace kjoule {

/// Chooses which shapes of a sweep to measure. A random fifth of the chosen shapes is independent of all
/// measurements, so that errors on them are those on any shape. The others first fill the space of features:
/// each is the shape that is farthest from all measured ones. From kFewestForModels measured shapes on, they
/// are the shapes about which models disagree that were trained on different parts of the measured rows.
class ShapeChoice {
 public:
  static constexpr size_t kFewestForModels = 40;

  /// `sweep` are the shapes that can be measured. The choice follows from the seed. `kind` must outlive the
  /// object.
  ShapeChoice(const OperatorKind& kind, std::vector<std::vector<double>> sweep, unsigned seed = 42);

  /// Returns the numbers of `count` further shapes of the sweep, or of all that are left. `measured`
  /// contains, by the number of the shape, its costs in all directions; none if it could not be measured.
  std::vector<size_t> next(const std::map<size_t, std::vector<double>>& measured, size_t count) const;

  /// Returns as next() a part of `left` shapes, after whose measurement the choice of the others is better:
  /// up to kFewestForModels measured shapes at once, then a third of those that are left, at least 10.
  std::vector<size_t> next_batch(const std::map<size_t, std::vector<double>>& measured, size_t left) const;

  /// Returns the shapes of the random fifth if `total` shapes are measured.
  std::vector<size_t> reserved(size_t total) const;

 private:
  struct Taken;
  std::vector<double> uncertainties(const std::map<size_t, std::vector<double>>& measured) const;

  const OperatorKind& kind_;
  std::vector<std::vector<double>> sweep_;
  std::vector<std::vector<double>> places_;  ///< logarithms of features, scaled to the same spread
  std::vector<size_t> random_order_;
  unsigned seed_;
};

}  // namespace kjoule
