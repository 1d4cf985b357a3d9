#pragma once
#include <string>
#include <vector>

#include "base/json_fields.hpp"

namespace kjoule {

/// Spread of one undisturbed iteration between starts of the tuning programs, each on another board of the
/// same kind: the range of a program's starts over their mean, in percent. tests/gpu/start_spread computes
/// it.
struct StartSpread {
  std::vector<std::string> devices;
  int programs = 0;
  double median_percent = 0, worst_percent = 0;
};
template <class Fields>
void describe(Fields& fields, StartSpread& spread) {
  fields("devices", spread.devices);
  fields("programs", spread.programs);
  fields("median_percent", spread.median_percent);
  fields("worst_percent", spread.worst_percent);
}

/// Returns the spread that is bundled with kjoule (data/start_spread.json).
StartSpread bundled_start_spread();

}  // namespace kjoule
