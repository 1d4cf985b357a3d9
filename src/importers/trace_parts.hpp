#pragma once
#include <atomic>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <thread>

#include "base/files/json_cursor.hpp"
#include "importers/profiler_trace.hpp"
#include "importers/trace_events.hpp"

namespace kjoule {

/// Later parts of a long array of events, which threads read while the caller reads the events before them.
/// Where an event begins is guessed. A part counts only if the caller, who has read everything before it,
/// begins an event exactly where the part begins; otherwise the caller reads on, and the part is discarded. A
/// part with an error is discarded, too, so that the caller reports the first error of the text.
class TraceParts {
 public:
  /// Starts the threads. `cursor` is at the first event of the array, in the text `text` of the file. None is
  /// started if the rest of the text is short.
  TraceParts(const JsonCursor& cursor, std::string_view text, const std::string& file,
             const ReadingThreads& threads);
  /// Stops the threads.
  ~TraceParts();
  TraceParts(const TraceParts&) = delete;
  TraceParts& operator=(const TraceParts&) = delete;

  /// If parts begin at the event at the cursor of `events`: waits for them, appends them and moves the cursor
  /// to their end. Returns whether this is the end of the array; otherwise the cursor is at an event.
  bool append_to(TraceEvents& events);

 private:
  struct Part {
    Part(const JsonCursor& cursor, const std::string& file, const char* first, size_t bytes)
        : begin(first), events(cursor, file, bytes) {
      events.cursor().seek(first);
    }
    const char* begin;
    TraceEvents events;
    std::thread thread;
    bool is_read = false;     ///< to its end, without an error
    bool ends_array = false;  ///< otherwise the next part begins at its end
  };

  /// Reads events up to the begin of the next part, or to the end of the array.
  void read(Part& part, const char* next) const noexcept;

  std::list<Part> parts_;
  std::atomic<bool> stops_ = false;
};

}  // namespace kjoule
