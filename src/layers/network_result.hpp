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

/// The least time of some work at the roofs of a device.
struct LeastTime {
  double seconds = 0;
  bool is_compute = false;  ///< whether the FLOPs need this time, and not the bytes
};

/// A layer measured in isolation. Its times differ from those in context, because other data are in the
/// caches.
struct IsolatedLayer {
  std::optional<Interval> each_s, each_j;
  int64_t iterations = 0;  ///< iterations of one reading
  std::string error;       ///< why there is no time; otherwise empty
};

/// Layers that do the same work. They are measured once and counted.
struct LayerResult {
  std::string name, kind;  ///< name and kind of the first of them
  std::string call;        ///< operator
  std::string shape;       ///< shape of the first input, for example "8x197x768"; empty if it is not a tensor
  /// Values of one layer; `bytes` are read and written, each tensor counted once. They are nullopt where only
  /// launches are known.
  std::optional<int64_t> parameters, multiply_adds, bytes;
  int64_t count = 0;    ///< number of these layers in the network
  size_t launches = 0;  ///< launches of one layer
  std::optional<Interval> each_s;
  std::optional<Interval> each_j;
  std::string error;                              ///< why there is no time; otherwise empty
  std::map<std::string, IsolatedLayer> isolated;  ///< results in isolation by buffer mode: "rotate", "same"

  double flops() const { return 2.0 * static_cast<double>(multiply_adds.value_or(0)); }
  double bytes_moved() const { return static_cast<double>(bytes.value_or(0)); }
  std::optional<double> watts() const {
    return each_s && each_j ? std::optional(each_j->value / each_s->value) : std::nullopt;
  }
  /// Returns the least time that these FLOPs and bytes need at the roofs. Returns nullopt if the layer has
  /// neither FLOPs nor bytes.
  std::optional<LeastTime> least_time(const Roof& roof) const;
};

/// The whole of a separate model of the same network, for comparison with the sum of the layers.
struct NetworkCheck {
  std::string model;
  Interval whole_s;
  std::optional<Interval> whole_j;
};

/// The results of a network, as a pipeline of its layers.
struct NetworkResult {
  std::string name, about;
  std::string network, dtype;  ///< the network and its data type ("float16"); empty for programs
  std::optional<int64_t> parameters, multiply_adds;  ///< nullopt if only launches are known
  std::vector<LayerResult> layers;                   ///< in the order in which they first run
  /// How each_s and each_j were measured: "context", or in isolation with "rotate" or "same".
  std::string buffers = "context";
  std::optional<Roof> roof;
  std::string energy_missing;    ///< why there is no energy although it was requested; otherwise empty
  std::optional<double> idle_w;  ///< the device's idle power in W
  std::optional<NetworkCheck> check;
  /// The relative difference between the sum of the layers' launches and the whole in context, with the
  /// half-width of its 95 % interval.
  std::optional<Interval> against_whole;
  nlohmann::json run;  ///< device, versions, command line

  /// Returns the layer's least time at the roofs, divided by its measured time: 1 means that it runs at the
  /// roof. Above 1, the counts of its work or the roof are wrong for it, so this is no share of a roof.
  std::optional<double> of_roof(const LayerResult& layer) const;
  bool complete() const;        ///< Returns whether every layer has a time.
  double latency_s() const;     ///< Returns the sum of the layers that have a time, times their counts.
  double bottleneck_s() const;  ///< Returns the time of the longest layer.
  std::optional<double> energy_j() const;
  /// Return the sum over all layers in isolation, times their counts. Return nullopt if any layer has no
  /// value.
  std::optional<double> isolated_latency_s(const std::string& buffers) const;
  std::optional<double> isolated_energy_j(const std::string& buffers) const;
  /// Returns the energy in J of a pipeline in which every layer has a stage (a device) of its own and all
  /// stages work at the same time. It includes the idle power of stages that wait for the longest one.
  std::optional<double> energy_with_idle_j() const;
};

}  // namespace kjoule
