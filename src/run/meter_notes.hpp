#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "power/meters/meter.hpp"

namespace kjoule {

/// Adds the notes that the meter made since they were last taken, each text once.
inline void add_notes(Meter& meter, std::vector<std::string>& notes) {
  for (const std::string& note : meter.take_notes())
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

}  // namespace kjoule
