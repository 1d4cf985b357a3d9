#include "importers/kernel_fields.hpp"

#include <algorithm>
#include <iterator>

#include "base/text/nearest_names.hpp"

namespace kjoule {

namespace {

constexpr std::string_view kRead[] = {"name",
                                      "kernel",
                                      "kernel_name",
                                      "Kernel Name",
                                      "Name",
                                      "kind",
                                      "grid",
                                      "block",
                                      "shared_bytes",
                                      "shared memory",
                                      "shared_memory",
                                      "bytes",
                                      "operator",
                                      "input_dims",
                                      "Input Dims",
                                      "input_strides",
                                      "Input Strides",
                                      "input_types",
                                      "Input type",
                                      "concrete_inputs",
                                      "Concrete Inputs",
                                      "arguments",
                                      "signature",
                                      "args",
                                      "tier",
                                      "launches",
                                      "count",
                                      "invocation_count",
                                      "calls",
                                      "Calls",
                                      "fewest",
                                      "most",
                                      "total_us",
                                      "total_time_us",
                                      "mean_us",
                                      "avg_us",
                                      "dur",
                                      "single_time_us",
                                      "min_us",
                                      "max_us",
                                      "device",
                                      "gpu",
                                      "GPU",
                                      "rank",
                                      "process",
                                      "iterations",
                                      "M",
                                      "m",
                                      "N",
                                      "n",
                                      "K",
                                      "k",
                                      "batch",
                                      "params"};
constexpr std::string_view kPassedOver[] = {"short_name",
                                            "family",
                                            "category",
                                            "dtype",
                                            "steady",
                                            "half_width_us",
                                            "each_us",
                                            "isolated_each_us",
                                            "on_the_spot_each_us",
                                            "timeline_total_us",
                                            "stream",
                                            "benchmark_runs",
                                            "start_timestamp",
                                            "end_timestamp",
                                            "error",
                                            "blocks per SM",
                                            "warps per SM"};
constexpr size_t kMostChanged = 2;
constexpr size_t kLongestKey = 20;

}  // namespace

bool is_kernel_field(std::string_view key) {
  const auto holds = [&](const auto& keys) {
    return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
  };
  return holds(kRead) || holds(kPassedOver);
}

std::string find_similar_kernel_field(std::string_view key) {
  std::string_view nearest;
  size_t fewest = kMostChanged + 1;
  if (key.size() > kLongestKey) return {};
  for (const std::string_view read : kRead)
    if (const size_t changed = edit_distance(key, read); changed < fewest && 2 * changed < key.size()) {
      fewest = changed;
      nearest = read;
    }
  return std::string(nearest);
}

}  // namespace kjoule
