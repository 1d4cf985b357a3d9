#include "base/process/interruption.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "base/process/descendants.hpp"
#include "base/process/guardian.hpp"
#include "base/process/mutex.hpp"
#include "base/process/signal_handler.hpp"
#include "base/process/temporary_folder.hpp"
#include "base/text/printable.hpp"

namespace kjoule {

namespace {

constexpr int kLongestPrint_ms = 1000;
constexpr const char* kWipeLine = "\r\033[K";

/// The results that an interrupted command keeps.
struct Kept {
  Mutex mutex;
  std::list<std::function<std::string()>> notes KJOULE_GUARDED_BY(mutex);
  std::function<LastStep()> last_step KJOULE_GUARDED_BY(mutex);
  size_t files KJOULE_GUARDED_BY(mutex) = 0;
  std::string last_file KJOULE_GUARDED_BY(mutex);
};

Kept& kept() {
  static auto* all = new Kept;  // a signal may come while the process is exiting
  return *all;
}

std::string text_of_files(const Kept& all) KJOULE_REQUIRES(all.mutex) {
  if (all.files == 0) return "no file was written";
  if (all.files == 1) return fmt::format("{} is complete", all.last_file);
  return fmt::format("{} files are complete, the last one is {}", all.files, all.last_file);
}

/// Returns the first note as a copy, because the step that created it may end while the descendants are
/// ended.
std::function<std::string()> first_note() {
  Kept& all = kept();
  const MutexLock lock(all.mutex);
  if (!all.notes.empty()) return all.notes.front();
  return [text = text_of_files(all)] { return text; };
}

/// Takes the last step. Without one, there is no text, and this process ends by the signal.
LastStep take_last_step() {
  std::function<LastStep()> step;
  {
    Kept& all = kept();
    const MutexLock lock(all.mutex);
    step = all.last_step;
  }
  return step ? step() : LastStep();
}

/// Prints a line on stderr, but waits at most 1 s if nobody reads from it (a pipe).
void print_last_line(const std::string& line) {
  pollfd writable{STDERR_FILENO, POLLOUT, 0};
  if (poll(&writable, 1, kLongestPrint_ms) <= 0) return;
  const std::string text = (isatty(STDERR_FILENO) == 1 ? kWipeLine : "") + printable(line) + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

KeptNote::KeptNote(std::function<std::string()> text) {
  Kept& all = kept();
  const MutexLock lock(all.mutex);
  place_ = all.notes.insert(all.notes.end(), std::move(text));
}

KeptNote::~KeptNote() {
  Kept& all = kept();
  const MutexLock lock(all.mutex);
  all.notes.erase(place_);
}

InterruptionStep::InterruptionStep(std::function<LastStep()> step) {
  Kept& all = kept();
  const MutexLock lock(all.mutex);
  all.last_step = std::move(step);
}

InterruptionStep::~InterruptionStep() {
  Kept& all = kept();
  const MutexLock lock(all.mutex);
  all.last_step = nullptr;
}

void note_written(const std::string& file) {
  Kept& all = kept();
  const MutexLock lock(all.mutex);
  ++all.files;
  all.last_file = file;
}

std::string written_files_text() {
  Kept& all = kept();
  const MutexLock lock(all.mutex);
  return text_of_files(all);
}

void interrupt(int signal, bool from_terminal, std::chrono::milliseconds patience) {
  const auto note = first_note();
  if (!from_terminal && patience.count() > 0) signal_descendants(signal);
  end_descendants(patience);
  remove_temporary_folders();
  const LastStep last = take_last_step();
  print_last_line(fmt::format("kjoule: interrupted; {}{}", note(), last.text));
  dismiss_guardian();
  if (last.exit_code) std::_Exit(*last.exit_code);
  end_by_signal(signal);
}

}  // namespace kjoule
