#include "importers/profiler_event.hpp"

#include <fmt/format.h>

namespace kjoule {

namespace {

/// Returns whether a key equals a word. The compiler inlines the comparison because the word's length is
/// constant; this matters because it runs for every key of a trace.
template <size_t kSize>
bool is(std::string_view key, const char (&word)[kSize]) {
  return key.size() == kSize - 1 && __builtin_memcmp(key.data(), word, kSize - 1) == 0;
}

std::string_view* field_of(ProfilerEvent& event, std::string_view key) {
  switch (key.size()) {
    case 2:
      return is(key, "ph")   ? &event.phase
             : is(key, "ts") ? &event.begin
             : is(key, "id") ? &event.id
                             : nullptr;
    case 3:
      return is(key, "cat")   ? &event.category
             : is(key, "pid") ? &event.process
             : is(key, "tid") ? &event.thread
             : is(key, "dur") ? &event.duration
                              : nullptr;
    case 4:
      return is(key, "name") ? &event.name : is(key, "args") ? &event.not_arguments : nullptr;
    default:
      return nullptr;
  }
}

/// Returns the field for a key of args; null if kjoule does not read it. Older profilers and XLA spell some
/// keys differently.
std::string_view* argument_of(ProfilerEvent& event, std::string_view key) {
  switch (key.size()) {
    case 4:
      return is(key, "grid")   ? &event.grid
             : is(key, "tier") ? &event.tier
             : is(key, "name") ? &event.argument_name
                               : nullptr;
    case 5:
      return is(key, "block") ? &event.block : is(key, "bytes") ? &event.bytes : nullptr;
    case 6:
      return is(key, "device") ? &event.device : is(key, "stream") ? &event.stream : nullptr;
    case 7:
      return is(key, "context") ? &event.context : nullptr;
    case 8:
      return is(key, "step_num") ? &event.step_number : nullptr;
    case 10:
      return is(key, "Input Dims") || is(key, "Input dims") ? &event.input_dims
             : is(key, "Input type")                        ? &event.input_types
                                                            : nullptr;
    case 11:
      return is(key, "External id") || is(key, "external id") ? &event.external_id
             : is(key, "correlation")                         ? &event.correlation
                                                              : nullptr;
    case 13:
      return is(key, "shared memory")   ? &event.shared_bytes
             : is(key, "Input Strides") ? &event.input_strides
                                        : nullptr;
    case 14:
      return is(key, "correlation_id")                                ? &event.correlation
             : is(key, "kernel_details")                              ? &event.kernel_details
             : is(key, "memcpy_details")                              ? &event.copy_details
             : is(key, "memset_details") || is(key, "Memset_details") ? &event.memset_details
                                                                      : nullptr;
    case 15:
      return is(key, "Concrete Inputs") ? &event.concrete_inputs : nullptr;
    default:
      return nullptr;
  }
}

[[noreturn]] void fail_given_twice(const JsonCursor& cursor, std::string_view value, std::string_view key) {
  cursor.fail(value, fmt::format("\"{}\" is given twice in one event, with different values", key));
}

void check_same(const JsonCursor& cursor, std::string_view before, std::string_view value,
                std::string_view key) {
  if (!before.empty() && before != value) fail_given_twice(cursor, value, key);
}

void fill(JsonCursor& cursor, std::string_view* field, std::string_view key) {
  if (field == nullptr) return cursor.skip();
  const std::string_view value = cursor.raw();
  check_same(cursor, *field, value, key);
  *field = value;
}

}  // namespace

ProfilerEvent read_profiler_event(JsonCursor& cursor) {
  if (cursor.next() != '{') cursor.fail("this event is not a JSON object");
  ProfilerEvent event;
  std::string_view arguments;
  cursor.members([&](std::string_view key) {
    if (is(key, "args") && cursor.next() == '{') {
      const char* const begin = cursor.position();
      cursor.members([&](std::string_view inner) { fill(cursor, argument_of(event, inner), inner); });
      const std::string_view text(begin, static_cast<size_t>(cursor.position() - begin));
      check_same(cursor, arguments, text, key);
      arguments = text;
    } else
      fill(cursor, field_of(event, key), key);
  });
  return event;
}

void fill_missing_fields(ProfilerEvent& event, const ProfilerEvent& other) {
  using Event = ProfilerEvent;
  for (const auto field : {&Event::category,
                           &Event::name,
                           &Event::process,
                           &Event::thread,
                           &Event::id,
                           &Event::not_arguments,
                           &Event::external_id,
                           &Event::correlation,
                           &Event::device,
                           &Event::context,
                           &Event::stream,
                           &Event::grid,
                           &Event::block,
                           &Event::shared_bytes,
                           &Event::bytes,
                           &Event::input_dims,
                           &Event::input_strides,
                           &Event::input_types,
                           &Event::concrete_inputs,
                           &Event::tier,
                           &Event::kernel_details,
                           &Event::copy_details,
                           &Event::memset_details,
                           &Event::step_number})
    if ((event.*field).empty()) event.*field = other.*field;
}

}  // namespace kjoule
