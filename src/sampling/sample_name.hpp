#pragma once
#include <optional>
#include <string>

namespace kjoule {

/// What the file of one part of a sweep is called: "{gpu}_{operator}_{precision}_{parts}_{part}".
struct SampleName {
  std::string gpu, operator_name, precision;
  size_t parts = 1, part = 1;

  /// Of all parts together: "{gpu}_{operator}_{precision}".
  std::string whole() const;
  std::string text() const;
};

/// A device's name as it stands in files' names: without spaces, and with - for what does not belong there.
std::string gpu_in_name(const std::string& device);

/// Nothing where that is no such name; precisions are fp16, bf16 and fp32.
std::optional<SampleName> sample_name(const std::string& text);

}  // namespace kjoule
