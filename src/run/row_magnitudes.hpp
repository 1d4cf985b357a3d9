#pragma once
#include <nlohmann/json.hpp>

namespace kjoule {

/// Throws Error, with the name of the field, if the size of a number in a row of results.jsonl is larger than
/// any that was measured. The unit of a number follows from the end of its field's name (_s, _ns, _j, _w,
/// _hz, seconds, watts), or of the name of the list or object that contains it. Other fields have no unit,
/// and are not checked. Differences of times may be negative.
void check_magnitudes(const nlohmann::json& row);

}  // namespace kjoule
