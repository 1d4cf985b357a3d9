#pragma once
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// The name of the files of one part of a sweep: "{gpu}_{operator}_{precision}_{parts}_{part}".
struct SampleName {
  std::string gpu, operator_name, precision;
  size_t parts = 1, part = 1;

  /// Returns the name of the sweep, without parts and part: "{gpu}_{operator}_{precision}".
  std::string sweep() const;
  /// Returns the name as text.
  std::string text() const;
};

/// Returns a device's name for use in file names: without spaces, and with "-" instead of each character that
/// is not allowed.
std::string gpu_file_name(const std::string& device);

/// Returns the name that a text states, or no value for any other text. The precisions are fp16, bf16 and
/// fp32.
std::optional<SampleName> parse_sample_name(const std::string& text);

/// Returns a list of ascending numbers of parts as text, for example "1, 3 to 400".
std::string number_spans(const std::vector<size_t>& numbers);

}  // namespace kjoule
