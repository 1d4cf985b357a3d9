#include "compare/iteration/range_results.hpp"

#include <memory>
#include <unordered_map>

namespace kjoule {

namespace {

/// A range with the ranges that it contains.
struct RangeNode {
  RangeResult result;
  std::vector<std::unique_ptr<RangeNode>> inner;

  RangeNode& find_or_add(const std::string& name) {
    for (const auto& node : inner)
      if (node->result.path.back() == name) return *node;
    RangeNode& node = *inner.emplace_back(std::make_unique<RangeNode>());
    node.result.path = result.path;
    node.result.path.push_back(name);
    return node;
  }
};

/// Adds a launch that takes `seconds`. Its half-width and energy are its part of those of the kernel.
void add_launch(RangeResult& range, double seconds, const KernelResult* kernel) {
  const bool is_first = range.launches++ == 0;
  if (is_first) {
    range.time_s.emplace();
    range.energy_j.emplace();
  }
  if (kernel == nullptr || !kernel->in_context_s) range.time_s.reset();
  if (kernel == nullptr || !kernel->energy) range.energy_j.reset();
  const double part = kernel == nullptr ? 0 : 1 / static_cast<double>(kernel->count);
  if (range.time_s) {
    range.time_s->value += seconds;
    range.time_s->half_width += part * kernel->in_context_s->half_width;
  }
  if (range.energy_j) {
    range.energy_j->value += part * kernel->energy->joules.value;
    range.energy_j->half_width += part * kernel->energy->joules.half_width;
  }
}

void take_in_order(RangeNode& node, std::vector<RangeResult>& ranges) {
  for (const auto& inner : node.inner) {
    ranges.push_back(std::move(inner->result));
    take_in_order(*inner, ranges);
  }
}

}  // namespace

std::vector<RangeResult> range_results(const Recording& recording, const std::vector<double>& launch_s,
                                       const std::vector<KernelResult>& kernels) {
  std::unordered_map<std::string, const KernelResult*> by_signature;
  for (const KernelResult& kernel : kernels) by_signature.emplace(kernel.signature, &kernel);
  RangeNode root;
  for (size_t i = 0; i < recording.launches.size() && i < launch_s.size(); ++i) {
    const Launch& launch = recording.launches[i];
    const auto names = launch.detail.find("ranges");
    if (names == launch.detail.end() || !names->is_array()) continue;
    const auto kernel = by_signature.find(launch.signature);
    RangeNode* node = &root;
    for (const nlohmann::json& name : *names) {
      if (!name.is_string()) break;
      node = &node->find_or_add(name.get<std::string>());
      add_launch(node->result, launch_s[i], kernel == by_signature.end() ? nullptr : kernel->second);
    }
  }
  std::vector<RangeResult> ranges;
  take_in_order(root, ranges);
  return ranges;
}

}  // namespace kjoule
