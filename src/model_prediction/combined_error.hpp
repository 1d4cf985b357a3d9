#pragma once
#include <map>
#include <string>

namespace kjoule {

/// A predicted time (us) or energy (J), with a 90 % interval.
struct Estimate {
  double value = 0, low = 0, high = 0;
};

/// Adds estimates, with the interval of their sum.
///
/// Estimates of one source, such as one trained model, are assumed to have the same error: all are too high
/// or all are too low, so their errors are added. The errors of different sources are assumed to be
/// independent, so their squares are added.
class CombinedError {
 public:
  /// Adds `times` times an estimate of a source.
  void add(const std::string& source, double times, const Estimate& estimate);
  /// Returns the sum. Its low end is not below 0.
  Estimate sum() const;

 private:
  struct HalfWidths {
    double below = 0, above = 0;
  };
  double value_ = 0;
  std::map<std::string, HalfWidths> sources_;
};

}  // namespace kjoule
