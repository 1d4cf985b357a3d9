#include "layers/range_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "layers/fill_network_result.hpp"
#include "layers/layer_names.hpp"

namespace kjoule {

namespace {

const char* const kOutside = "outside of ranges";

/// Returns the name of a launch's layer; empty if the launch is outside of all ranges.
std::string layer_of(const Launch& launch, const std::string& iteration_range) {
  const auto ranges = launch.detail.find("ranges");
  if (ranges == launch.detail.end()) return "";
  const auto names = ranges->get<std::vector<std::string>>();
  const auto iteration =
      iteration_range.empty() ? names.begin() : std::find(names.begin(), names.end(), iteration_range);
  if (iteration == names.end()) return "";
  const auto inner = iteration_range.empty() ? iteration : std::next(iteration);
  return inner == names.end() ? "" : *inner;
}

/// Consecutive launches of one layer.
struct RangeSegment {
  std::string layer;
  std::vector<LaunchIndex> launches;
};

/// Returns the segments of the measured launches. Two successive ranges with the same name become one
/// segment, which repetition() divides afterwards.
std::vector<RangeSegment> find_segments(const Recording& recording, const std::string& iteration_range) {
  std::vector<RangeSegment> segments;
  const size_t end = recording.launches.size() - recording.edges.tail;
  for (auto i = static_cast<LaunchIndex>(recording.edges.lead); i < end; ++i) {
    const std::string layer = layer_of(recording.launches[i], iteration_range);
    if (segments.empty() || segments.back().layer != layer) segments.push_back({layer, {}});
    segments.back().launches.push_back(i);
  }
  return segments;
}

std::vector<std::string> signatures(const std::vector<LaunchIndex>& launches, const Recording& recording) {
  std::vector<std::string> all;
  for (const LaunchIndex launch : launches) all.push_back(recording.launches[launch].signature);
  return all;
}

/// Returns the number of launches in the shortest sequence whose repetition is the segment, and the number of
/// repetitions. `all` has the signature of each launch.
std::pair<size_t, int64_t> repetition(const std::vector<std::string>& all) {
  for (size_t length = 1; length <= all.size() / 2; ++length) {
    if (all.size() % length != 0) continue;
    bool repeats = true;
    for (size_t i = length; i < all.size() && repeats; ++i) repeats = all[i] == all[i - length];
    if (repeats) return {length, static_cast<int64_t>(all.size() / length)};
  }
  return {all.size(), 1};
}

}  // namespace

NetworkResult layers_of_ranges(const std::string& program, const std::string& iteration_range,
                               const Recording& recording, const Comparison& comparison) {
  NetworkResult result;
  result.name = program;
  result.about = "the program's own NVTX ranges";
  set_whole(comparison, result);
  const KernelsBySignature measured = kernels_by_signature(comparison);
  std::map<std::pair<std::string, std::vector<std::string>>, size_t> known;
  LayerNames names;
  bool ranges = false;
  for (RangeSegment& segment : find_segments(recording, iteration_range)) {
    ranges = ranges || !segment.layer.empty();
    std::vector<std::string> kernels = signatures(segment.launches, recording);
    const auto [length, times] = repetition(kernels);
    kernels.resize(length);
    segment.launches.resize(length);
    const auto [place, is_new] = known.try_emplace({segment.layer, kernels}, result.layers.size());
    if (!is_new) {
      result.layers[place->second].count += times;
      continue;
    }
    LayerResult& layer = result.layers.emplace_back();
    layer.name = names.distinct(segment.layer.empty() ? kOutside : segment.layer);
    layer.kind = "range";
    layer.count = times;
    set_layer_in_context(segment.launches, recording, measured, layer);
  }
  if (ranges) return result;
  throw Error(fmt::format("{}: no launch of the iteration is in an NVTX range{}", program,
                          iteration_range.empty() ? "" : " within " + iteration_range),
              "mark each layer with nvtxRangePush and nvtxRangePop (torch.cuda.nvtx.range in Python)");
}

}  // namespace kjoule
