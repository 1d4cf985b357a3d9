#pragma once
#include <chrono>
#include <functional>
#include <list>
#include <string>

namespace kjoule {

/// While an object exists, the line of an interrupted command ends with its text, which says what is kept and
/// how to continue: "37 rows are kept: the same command with --resume DIR goes on". Of several objects, the
/// first one counts, because the outermost step knows the command's results.
class KeptNote {
 public:
  /// `text` is called on another thread, after everything that this process started has ended, and possibly
  /// after this object, so it owns what it uses.
  explicit KeptNote(std::function<std::string()> text);
  ~KeptNote();
  KeptNote(const KeptNote&) = delete;
  KeptNote& operator=(const KeptNote&) = delete;

 private:
  std::list<std::function<std::string()>>::iterator place_;
};

/// Takes note that this process wrote the file.
void note_written(const std::string& file);
/// Returns how many files this process wrote, and the last one; without a KeptNote, this ends the line.
std::string written_files_text();

/// Interrupts this process because of a signal, as an action of a SignalHandler: ends everything that it
/// started (end_descendants with `patience`), prints one line on stderr that says what is kept, removes the
/// temporary folders and ends this process by the signal. With a patience, the descendants get the signal
/// first, unless the terminal sent it to them.
[[noreturn]] void interrupt(int signal, bool from_terminal, std::chrono::milliseconds patience);

}  // namespace kjoule
