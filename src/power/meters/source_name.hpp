#pragma once
#include <string>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// The name of a source, and the source's options.
struct SourceName {
  std::string name;
  PowerSourceOptions options;
};

/// Reads the name of a source and, after a colon, its settings, which are separated by commas: serial ports
/// or a file, then KEY=VALUE. Settings that are not given stay as in `options`.
///
/// - `nvml`, `nvml-counter`: `gpu` (index or UUID; repeatable)
/// - `nvidia-smi`: `gpu`, `interval` (seconds)
/// - `wattsup:PORT,PORT`: `interval`, `accuracy` (such as 1.5%)
/// - `csv:FILE`: `column` (repeatable), `time-column`, `gpu`, `offset`, `averaging` (seconds), `accuracy`
///
/// Throws Error if the source does not have a setting, or if a value cannot be read.
SourceName read_source_name(const std::string& text, PowerSourceOptions options);

}  // namespace kjoule
