#pragma once
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "device/sample_protocol.hpp"
#include "torch/operator.hpp"

namespace kjoule::child {

/// The operator of a request at its shape, and at the shape of its warm-up, with their data. Throw
/// InvalidShape, Refused, Error, or what libtorch throws.
Directions requested_operator(const SampleRequest& request, c10::Device device);
Directions warmup_operator(const SampleRequest& request, c10::Device device);

/// Requests of a file, a line each, to which others are added while the first are answered.
class GrowingRequests {
 public:
  /// The first `skipped` are left out. Throws Error for a file that cannot be read.
  GrowingRequests(const std::string& file, size_t skipped);
  /// Waits for it; nothing behind kEndOfRequests. Throws Error "FILE:LINE: .." for what is none.
  std::optional<SampleRequest> next();

 private:
  std::string next_line();

  std::string file_;
  std::ifstream lines_;
  size_t line_ = 0;
};

/// Of a file, a line each. Throws Error "FILE:LINE: .." for what is none.
std::vector<SampleRequest> read_requests(const std::string& file);

}  // namespace kjoule::child
