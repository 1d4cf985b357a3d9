#pragma once
#include <string>

namespace kjoule {

/// Returns the reason for which a measurement ended, as the end of a sentence: ", until the time limit was
/// reached". An empty text if the measurement was interrupted.
inline std::string stop_text(const std::string& stopped) {
  if (stopped.empty()) return {};
  return ", until the " + (stopped == "precision" ? "requested precision" : stopped) + " was reached";
}

}  // namespace kjoule
