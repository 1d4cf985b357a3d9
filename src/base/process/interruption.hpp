#pragma once
#include <chrono>
#include <functional>
#include <list>
#include <optional>
#include <string>

namespace kjoule {

/// While an object exists, the line that an interrupted command prints ends with the object's text. The text
/// states which results are kept and how to continue: "37 rows are kept; repeat the command with --resume
/// DIR". If several objects exist, the first one is used, because the outermost step knows the command's
/// results.
class KeptNote {
 public:
  /// `text` is called on another thread, after all processes that this process started have ended. The call
  /// may come after this object was destroyed, so `text` must own the data that it uses.
  explicit KeptNote(std::function<std::string()> text);
  ~KeptNote();
  KeptNote(const KeptNote&) = delete;
  KeptNote& operator=(const KeptNote&) = delete;

 private:
  std::list<std::function<std::string()>>::iterator place_;
};

/// What an interrupted command did as its last step.
struct LastStep {
  std::string text;              ///< part of the line that the command prints; may be empty
  std::optional<int> exit_code;  ///< exit code of this process; without one, the process ends by the signal
};

/// While an object exists, an interrupted command takes a last step after all processes that this process
/// started have ended: it calls `step`, on another thread. At most one object may exist. The call may come
/// after this object was destroyed, so `step` must own the data that it uses.
class InterruptionStep {
 public:
  explicit InterruptionStep(std::function<LastStep()> step);
  ~InterruptionStep();
  InterruptionStep(const InterruptionStep&) = delete;
  InterruptionStep& operator=(const InterruptionStep&) = delete;
};

/// Records that this process wrote the file.
void note_written(const std::string& file);
/// Returns a text with the number of files that this process wrote and the name of the last one. Without a
/// KeptNote, the line that an interrupted command prints ends with this text.
std::string written_files_text();

/// Interrupts this process because of a signal, as an action of a SignalHandler: ends all descendants
/// (end_descendants with `patience`), removes the temporary folders, takes the last step if there is one
/// (InterruptionStep), prints one line on stderr that says which results are kept, and ends this process. If
/// `patience` is above 0, the signal is first sent to the descendants, unless the terminal has already sent
/// it to them.
[[noreturn]] void interrupt(int signal, bool from_terminal, std::chrono::milliseconds patience);

}  // namespace kjoule
