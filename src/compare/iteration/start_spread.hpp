#pragma once
#include <string>
#include <vector>

#include "base/json/json_fields.hpp"

namespace kjoule {

/// Spread of the undisturbed whole between starts of the tuning programs, each on another board of the same
/// model. tests/gpu/start_spread computes it.
struct StartSpread {
  std::vector<std::string> devices;
  int programs = 0;  ///< number of programs
  /// Range (maximum minus minimum) of the whole over a program's starts, in percent of the program's mean
  /// whole: median and maximum over the programs.
  double median_percent = 0, worst_percent = 0;
  /// Standard deviation of the whole in percent, pooled over all programs: between starts on the same board
  /// (same_board_sd_percent), and between boards (other_board_sd_percent).
  double same_board_sd_percent = 0, other_board_sd_percent = 0;
};
template <class Fields>
void describe(Fields& fields, StartSpread& spread) {
  fields("devices", spread.devices);
  fields("programs", spread.programs);
  fields("median_percent", spread.median_percent);
  fields("worst_percent", spread.worst_percent);
  fields("same_board_sd_percent", spread.same_board_sd_percent);
  fields("other_board_sd_percent", spread.other_board_sd_percent);
}

/// Returns the spread that is bundled with kjoule (data/start_spread.json).
StartSpread bundled_start_spread();

}  // namespace kjoule
