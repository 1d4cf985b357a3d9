#include "trace/profiler_event.hpp"

#include <fmt/format.h>

namespace kjoule {

namespace {

std::string_view* field_of(ProfilerEvent& event, std::string_view key) {
  switch (key.size()) {
    case 2:
      return key == "ph" ? &event.phase : key == "ts" ? &event.begin : nullptr;
    case 3:
      return key == "cat"   ? &event.category
             : key == "pid" ? &event.process
             : key == "dur" ? &event.duration
                            : nullptr;
    case 4:
      return key == "name" ? &event.name : nullptr;
    default:
      return nullptr;
  }
}

/// Older profilers spelt some of them differently.
std::string_view* argument_of(ProfilerEvent& event, std::string_view key) {
  switch (key.size()) {
    case 4:
      return key == "grid" ? &event.grid : nullptr;
    case 5:
      return key == "block" ? &event.block : key == "bytes" ? &event.bytes : nullptr;
    case 6:
      return key == "device" ? &event.device : key == "stream" ? &event.stream : nullptr;
    case 10:
      return key == "Input Dims" || key == "Input dims" ? &event.input_dims
             : key == "Input type"                      ? &event.input_types
                                                        : nullptr;
    case 11:
      return key == "External id" || key == "external id" ? &event.external_id
             : key == "correlation"                       ? &event.correlation
                                                          : nullptr;
    case 13:
      return key == "shared memory"   ? &event.shared_bytes
             : key == "Input Strides" ? &event.input_strides
                                      : nullptr;
    case 15:
      return key == "Concrete Inputs" ? &event.concrete_inputs : nullptr;
    default:
      return nullptr;
  }
}

void fill(JsonCursor& cursor, std::string_view* field, std::string_view key) {
  if (field == nullptr) return cursor.skip();
  const std::string_view value = cursor.raw();
  if (!field->empty() && *field != value)
    cursor.fail(value, fmt::format("\"{}\" stands twice in one event, with different values", key));
  *field = value;
}

}  // namespace

ProfilerEvent read_profiler_event(JsonCursor& cursor) {
  if (cursor.next() != '{') cursor.fail("an event is no object");
  ProfilerEvent event;
  cursor.members([&](std::string_view key) {
    if (key == "args" && cursor.next() == '{')
      cursor.members([&](std::string_view inner) { fill(cursor, argument_of(event, inner), inner); });
    else
      fill(cursor, field_of(event, key), key);
  });
  return event;
}

}  // namespace kjoule
