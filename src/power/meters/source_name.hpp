#pragma once
#include <string>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// The name of a source, and the options with its settings.
struct SourceName {
  std::string name;
  PowerSourceOptions options;
};

/// Reads a source and its settings, which follow a colon and are separated by commas: serial ports or a file,
/// then KEY=VALUE. Settings that are not given stay as in `options`.
///
/// - `nvml`, `nvml-counter`: `gpu` (index or UUID; repeatable)
/// - `nvidia-smi`: `gpu`, `interval` (seconds)
/// - `wattsup:PORT,PORT`: `interval`, `accuracy` (such as 1.5%)
/// - `csv:FILE`: `column` (repeatable), `time-column`, `gpu`, `offset`, `averaging` (seconds), `accuracy`
///
/// Throws Error for a setting that the source does not have, or a value that cannot be read.
SourceName read_source_name(const std::string& text, PowerSourceOptions options);

}  // namespace kjoule
