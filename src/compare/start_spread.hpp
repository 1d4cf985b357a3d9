#pragma once
#include <string>
#include <vector>

#include "base/json/json_fields.hpp"

namespace kjoule {

/// Spread of one undisturbed iteration between starts of the tuning programs, each on another board of the
/// same kind: the range of a program's starts over their mean, in percent. tests/gpu/start_spread computes
/// it.
struct StartSpread {
  std::vector<std::string> devices;
  int programs = 0;
  double median_percent = 0, worst_percent = 0;
  /// Standard deviations of the whole between starts, of all programs together, in percent: of starts on one
  /// board, and of boards.
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
