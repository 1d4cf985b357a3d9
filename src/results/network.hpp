#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.hpp"

namespace kjoule {

/// Layers of the same work: measured together and counted.
struct LayerResult {
  std::string name, kind;  ///< of the first of them
  std::string call;        ///< the operator
  std::string shape;       ///< of its first input, "8x197x768"; empty where that is no tensor
  int64_t parameters = 0;  ///< of one
  int64_t multiply_adds = 0;
  int64_t bytes = 0;    ///< read and written by one, each tensor once
  int64_t count = 0;    ///< in the network
  size_t launches = 0;  ///< that one of them makes
  std::optional<Interval> each_s;
  std::optional<Interval> each_j;
  std::string error;  ///< why there is no time

  double flops() const { return 2.0 * static_cast<double>(multiply_adds); }
  std::optional<double> watts() const {
    return each_s && each_j ? std::optional(each_j->value / each_s->value) : std::nullopt;
  }
};

/// The same network as a model that was not made from its layers' file, measured whole.
struct NetworkCheck {
  std::string model;
  Interval whole_s;
  std::optional<Interval> whole_j;
};

/// A network as a pipeline of its layers.
struct NetworkResult {
  std::string name, about;
  int64_t parameters = 0, multiply_adds = 0;
  std::vector<LayerResult> layers;  ///< in the order in which they first run
  std::optional<double> idle_w;     ///< of the device, held with nothing to do
  std::optional<NetworkCheck> check;

  bool complete() const;        ///< every layer has a time
  double latency_s() const;     ///< of those that have one, all of their count
  double bottleneck_s() const;  ///< the longest layer
  std::optional<double> energy_j() const;
  /// With every layer on a stage of its own, all of them working at once: what stages that wait for the
  /// longest draw is added.
  std::optional<double> energy_with_idle_j() const;
};

}  // namespace kjoule
