#pragma once
#include <string_view>

#include "base/json_cursor.hpp"

namespace kjoule {

/// The fields of one event of a Chrome trace that kjoule knows, each as the JSON that stands there; empty
/// when it is not there.
struct ProfilerEvent {
  std::string_view phase, category, name, process, begin, duration;
  std::string_view not_arguments;  ///< what stands under args when that is no object
  // of args
  std::string_view external_id, correlation, device, stream, grid, block, shared_bytes, bytes;
  std::string_view input_dims, input_strides, input_types, concrete_inputs;
  std::string_view tier;  ///< which kjoule's own timelines have
};

/// Consumes the object that is next. Throws Error when a known field stands twice with different values.
ProfilerEvent read_profiler_event(JsonCursor& cursor);

}  // namespace kjoule
