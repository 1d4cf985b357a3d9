#pragma once
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>

#include "base/clock.hpp"

namespace kjoule {

/// Progress of long work on stderr: a bar with the time left on a terminal, a plain line every few seconds
/// elsewhere.
class Progress {
 public:
  virtual ~Progress() = default;
  /// A new stage, e.g. "measuring whole".
  virtual void stage(const std::string& title) = 0;
  /// Share done of the current stage, 0 to 1.
  virtual void update(double done) = 0;
  /// Ends the current stage; the bar is wiped.
  virtual void finish() = 0;
};

std::unique_ptr<Progress> make_progress();  ///< bar or lines, as stderr is a terminal or not
std::unique_ptr<Progress> silent_progress();

/// The two kinds, on any stream and clock, both of which must outlive them. A bar keeps within `columns`.
std::unique_ptr<Progress> progress_bar(std::ostream& out, const Clock& clock, size_t columns);
std::unique_ptr<Progress> progress_lines(std::ostream& out, const Clock& clock);
/// "12 s", "3 min 05 s", "2 h 10 min"; rounded up, never negative.
std::string duration_text(double seconds);

}  // namespace kjoule
