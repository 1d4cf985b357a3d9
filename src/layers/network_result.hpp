#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "device/roof.hpp"

namespace kjoule {

/// The least time of some work at the roofs of a device (the roofline).
struct LeastTime {
  double seconds = 0;
  bool is_compute = false;  ///< true if the FLOPs need this time, false if the bytes do
};
/// Returns the least time of a layer of this kind; nullopt if it has neither FLOPs nor bytes.
std::optional<LeastTime> least_time(const std::string& kind, double flops, double bytes, const Roof& roof);

/// The results of a layer in isolation. They differ from those in context, because caches contain other data.
struct IsolatedLayer {
  std::optional<Interval> each_s, each_j;
  int64_t iterations = 0;  ///< smallest number of runs of the layer in a reading
  std::string error;       ///< why there is no time; empty if there is one
};

/// Layers of a network that do the same work. They are measured once, and their number is counted.
struct LayerResult {
  std::string name, kind;  ///< name and kind of the first of these layers
  std::string call;        ///< operator
  std::string shape;       ///< shape of the first input, for example "8x197x768"; empty if it is not a tensor
  /// Values of one layer, as in Layer; nullopt if only its launches are known.
  std::optional<int64_t> parameters, multiply_adds, bytes;
  int64_t count = 0;                              ///< number of these layers in the network
  size_t launches = 0;                            ///< number of launches of one layer
  std::optional<Interval> each_s;                 ///< time of one layer
  std::optional<Interval> each_j;                 ///< energy of one layer
  std::string error;                              ///< why there is no time; empty if there is one
  std::map<std::string, IsolatedLayer> isolated;  ///< results in isolation by buffer mode: "rotate", "same"

  double flops() const { return 2.0 * static_cast<double>(multiply_adds.value_or(0)); }
  double bytes_moved() const { return static_cast<double>(bytes.value_or(0)); }
  std::optional<double> watts() const {
    return each_s && each_j ? std::optional(each_j->value / each_s->value) : std::nullopt;
  }
  /// Returns the least time of one layer at the roofs; nullopt if the layer has neither FLOPs nor bytes.
  std::optional<LeastTime> least_time(const Roof& roof) const;
};

/// The whole of a model of the same network, which is measured for comparison with the sum of the layers
/// (--check).
struct NetworkCheck {
  std::string model;
  Interval whole_s;
  std::optional<Interval> whole_j;
};

/// The number of the network's own iterations that were run before it was recorded.
struct OwnIterationCount {
  int warmup = 0;                 ///< untimed iterations
  int runs = 0;                   ///< timed iterations
  std::optional<double> limit_s;  ///< as in ProgramIterations
};

/// The results of a network as a pipeline of layers.
struct NetworkResult {
  std::string name, about;
  std::string network, dtype;  ///< name of the network and its data type ("float16"); empty for programs
  std::optional<int64_t> parameters, multiply_adds;  ///< nullopt if only launches are known
  std::vector<LayerResult> layers;                   ///< in the order in which they first run
  /// The conditions in which each_s and each_j were measured: "context", or in isolation "rotate" or "same"
  /// (NetworkOptions::buffers).
  std::string buffers = "context";
  std::optional<Roof> roof;
  std::string roof_missing;      ///< why the roof was not measured; empty if it was, or for programs
  std::string energy_missing;    ///< why requested energy is missing; empty if it is not
  std::optional<double> idle_w;  ///< the device's idle power, W
  std::optional<NetworkCheck> check;
  std::optional<OwnIterationCount> own_iterations;  ///< nullopt if the network was not measured in context
  /// The difference of the sum over the layers' launches from the whole in context, as a share of the whole,
  /// with its 95 % interval.
  std::optional<Interval> against_whole;
  nlohmann::json run;  ///< device, versions, command line

  /// Returns the layer's least time at the roofs, divided by its measured time. A layer that runs at a roof
  /// has 1. A value above 1 means that its counted work or the roof is wrong.
  std::optional<double> of_roof(const LayerResult& layer) const;
  bool complete() const;        ///< Returns whether every layer has a time.
  double latency_s() const;     ///< Returns the sum of time x count over the layers that have a time.
  double bottleneck_s() const;  ///< Returns the time of the longest layer.
  /// Returns the sum of energy x count; nullopt if a layer with a time has no energy.
  std::optional<double> energy_j() const;
  /// Return the sum over all layers of time, or energy, in isolation x count; nullopt if a layer has no
  /// value.
  std::optional<double> isolated_latency_s(const std::string& buffers) const;
  std::optional<double> isolated_energy_j(const std::string& buffers) const;
  /// Returns the energy of a pipeline in which every layer has its own stage (a device) and all stages work
  /// at the same time, J. It includes the idle power of stages while they wait for the longest one.
  std::optional<double> energy_with_idle_j() const;
};

}  // namespace kjoule
