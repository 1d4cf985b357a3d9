#pragma once
#include <string_view>

#include "base/files/json_cursor.hpp"

namespace kjoule {

/// The fields of a Chrome trace's event that kjoule reads. Each is JSON text, and empty if the event lacks
/// it.
struct ProfilerEvent {
  std::string_view phase, category, name, process, thread, id, begin, duration;
  std::string_view not_arguments;  ///< the value of args if it is not an object
  // The fields below are inside args.
  std::string_view external_id, correlation, device, context, stream, grid, block, shared_bytes, bytes;
  std::string_view input_dims, input_strides, input_types, concrete_inputs;
  std::string_view tier;           ///< only in timelines that kjoule wrote
  std::string_view argument_name;  ///< `name` in args: the name of a process or thread in its metadata
  // The fields below are only in traces of XLA's profiler (JAX, TensorFlow).
  std::string_view kernel_details, copy_details, memset_details, step_number;
};

/// Reads the next event. Throws Error if one of these fields is repeated with a different value.
ProfilerEvent read_profiler_event(JsonCursor& cursor);

/// Copies each field of `other` that `event` lacks.
void fill_missing_fields(ProfilerEvent& event, const ProfilerEvent& other);

}  // namespace kjoule
