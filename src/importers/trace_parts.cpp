#include "importers/trace_parts.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <vector>

#include "base/process/quiet_thread.hpp"

namespace kjoule {

namespace {

constexpr const char* kJsonSpace = " \n\r\t";

/// Returns the position of the next "{" that follows a "}" and a comma, as events do; null if the text has
/// none.
const char* guess_event(std::string_view text, size_t from) {
  for (size_t at = text.find('}', from); at != std::string_view::npos; at = text.find('}', at + 1)) {
    const size_t comma = text.find_first_not_of(kJsonSpace, at + 1);
    if (comma == std::string_view::npos || text[comma] != ',') continue;
    const size_t next = text.find_first_not_of(kJsonSpace, comma + 1);
    if (next != std::string_view::npos && text[next] == '{') return text.data() + next;
  }
  return nullptr;
}

/// Returns where parts of about equal length begin, in ascending order; the first part is not listed.
std::vector<const char*> guess_begins(std::string_view text, size_t first, const ReadingThreads& threads) {
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t bytes = text.size() - first;
  const size_t parts = std::min({threads.most, cores, bytes / threads.least_bytes});
  std::vector<const char*> begins;
  for (size_t part = 1; part < parts; ++part) {
    const char* const begin = guess_event(text, first + bytes / parts * part);
    if (begin != nullptr && (begins.empty() || begins.back() < begin)) begins.push_back(begin);
  }
  return begins;
}

}  // namespace

TraceParts::TraceParts(const JsonCursor& cursor, std::string_view text, const std::string& file,
                       const ReadingThreads& threads) {
  const auto first = static_cast<size_t>(cursor.position() - text.data());
  const std::vector<const char*> begins = guess_begins(text, first, threads);
  for (size_t i = 0; i < begins.size(); ++i) {
    const char* const next = i + 1 < begins.size() ? begins[i + 1] : nullptr;
    const char* const end = next != nullptr ? next : text.data() + text.size();
    Part& part = parts_.emplace_back(cursor, file, begins[i], static_cast<size_t>(end - begins[i]));
    try {
      part.thread = start_quiet_thread([this, &part, next] { read(part, next); });
    } catch (const std::system_error&) {  // too many threads: the caller reads the rest
      parts_.pop_back();
      return;
    }
  }
}

TraceParts::~TraceParts() {
  stops_ = true;
  for (Part& part : parts_)
    if (part.thread.joinable()) part.thread.join();
}

void TraceParts::read(Part& part, const char* next) const noexcept {
  JsonCursor& cursor = part.events.cursor();
  try {
    while (!stops_.load(std::memory_order_relaxed)) {
      cursor.next();
      if (cursor.position() == next) {
        part.is_read = true;
        return;
      }
      part.events.read();
      const char after = cursor.next();
      if (after == ']') {
        part.is_read = part.ends_array = true;
        return;
      }
      if (after != ',') return;
      cursor.seek(cursor.position() + 1);
    }
  } catch (const std::exception&) {  // the caller reads this part again, and reports the error
  }
}

bool TraceParts::append_to(TraceEvents& events) {
  JsonCursor& cursor = events.cursor();
  while (!parts_.empty() && parts_.front().begin <= cursor.position()) {
    Part& part = parts_.front();
    const bool is_reached = part.begin == cursor.position();
    if (!is_reached) stops_ = true;  // the guess was wrong
    part.thread.join();
    const bool counts = is_reached && part.is_read, ends = part.ends_array;
    if (counts) {
      cursor.seek(part.events.cursor().position());
      events.append(part.events);
    }
    parts_.pop_front();
    if (counts && ends) return true;
  }
  return false;
}

}  // namespace kjoule
