#pragma once
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace kjoule {

/// Shows the progress of long work on stderr: on a terminal as one line with a bar and the remaining time;
/// otherwise as a line for the first stage, and then at most one line every 10 s.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Begins a new stage, for example "measuring the kernels in context".
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

/// These functions return a bar, or lines, that use the given clock; clock and stream must outlive the
/// result. `show` is called with each new text of the bar, which has fewer than `columns` characters; an
/// empty text removes the bar.
std::unique_ptr<Progress> progress_bar(std::function<void(std::string_view)> show, const Clock& clock,
                                       size_t columns);
std::unique_ptr<Progress> progress_lines(std::ostream& out, const Clock& clock);
/// Returns a duration as text: "12 s", "3 min 05 s", "2 h 10 min"; rounded up, never negative.
std::string duration_text(double seconds);

}  // namespace kjoule
