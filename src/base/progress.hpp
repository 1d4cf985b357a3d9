#pragma once
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>

#include "base/clock.hpp"

namespace kjoule {

/// Shows the progress of long work on stderr: as a bar with the remaining time on a terminal, otherwise as a
/// line every few seconds.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Begins a new stage, for example "measuring whole".
  virtual void stage(const std::string& title) = 0;
  /// Sets the completed share of the current stage, 0 to 1.
  virtual void update(double done) = 0;
  /// Ends the current stage and removes the bar.
  virtual void finish() = 0;
};

/// Returns a bar if stderr is a terminal, otherwise lines.
std::unique_ptr<Progress> make_progress();
/// Returns a Progress that shows nothing.
std::unique_ptr<Progress> silent_progress();

/// Return a bar or lines on the given stream and clock, which must outlive them. A bar fits into `columns`
/// characters.
std::unique_ptr<Progress> progress_bar(std::ostream& out, const Clock& clock, size_t columns);
std::unique_ptr<Progress> progress_lines(std::ostream& out, const Clock& clock);
/// Returns a duration as text: "12 s", "3 min 05 s", "2 h 10 min"; rounded up, never negative.
std::string duration_text(double seconds);

}  // namespace kjoule
