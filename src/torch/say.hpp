#pragma once
#include <nlohmann/json.hpp>

namespace kjoule::child {

/// Writes it as one line of stdout, which kjoule has at once: what follows may end the process. Bytes that
/// are no UTF-8 are replaced.
void say(const nlohmann::json& line);

}  // namespace kjoule::child
