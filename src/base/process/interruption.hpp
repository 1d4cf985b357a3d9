#pragma once
#include <chrono>
#include <functional>
#include <list>
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

/// Records that this process wrote the file.
void note_written(const std::string& file);
/// Returns a text with the number of files that this process wrote and the name of the last one. Without a
/// KeptNote, the line that an interrupted command prints ends with this text.
std::string written_files_text();

/// Interrupts this process because of a signal, as an action of a SignalHandler: ends all descendants
/// (end_descendants with `patience`), removes the temporary folders, prints one line on stderr that says
/// which results are kept, and ends this process by the signal. If `patience` is above 0, the signal is first
/// sent to the descendants, unless the terminal has already sent it to them.
[[noreturn]] void interrupt(int signal, bool from_terminal, std::chrono::milliseconds patience);

}  // namespace kjoule
