#pragma once
#include <string>

#include "compare/iteration/comparison.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

/// How much of a comparison is printed.
struct ScreenOptions {
  size_t most_kernels = 5;   ///< on the first screen
  size_t most_details = 20;  ///< in the tables of details
  bool has_details = false;  ///< whether all checks and tables follow
  NameStyle style = NameStyle::shortened;
};

/// Prints a comparison on stdout part by part, each as soon as it is measured: times first, then energy.
/// Parts that were not printed before are printed at the end.
class ComparisonScreen {
 public:
  explicit ComparisonScreen(ScreenOptions options) : options_(options) {}

  /// Prints the times and their verdict.
  void print_times(const Comparison& comparison);
  /// Prints the energy, after the times.
  void print_energy(const Comparison& comparison);
  /// Prints the parts that were not printed yet, and the verdict again if it has changed.
  void print_rest(const Comparison& comparison);

 private:
  ScreenOptions options_;
  std::string verdict_;  ///< text that was printed last; empty before the first one
  bool has_energy_ = false;
};

}  // namespace kjoule
