#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.hpp"
#include "device/roof.hpp"

namespace kjoule {

/// A layer by itself, not in its network: what its copies found in caches differs.
struct LayerAlone {
  std::optional<Interval> each_s, each_j;
  int64_t iterations = 0;  ///< of a reading
  std::string error;       ///< why there is no time
};

/// Layers of the same work: measured together and counted.
struct LayerResult {
  std::string name, kind;  ///< of the first of them
  std::string call;        ///< the operator
  std::string shape;       ///< of its first input, "8x197x768"; empty where that is no tensor
  /// Of one, `bytes` read and written, each tensor once; nothing where only its launches are known.
  std::optional<int64_t> parameters, multiply_adds, bytes;
  int64_t count = 0;    ///< in the network
  size_t launches = 0;  ///< that one of them makes
  std::optional<Interval> each_s;
  std::optional<Interval> each_j;
  std::string error;                        ///< why there is no time
  std::map<std::string, LayerAlone> alone;  ///< by what its copies share: "rotate", "same"

  double flops() const { return 2.0 * static_cast<double>(multiply_adds.value_or(0)); }
  double bytes_moved() const { return static_cast<double>(bytes.value_or(0)); }
  std::optional<double> watts() const {
    return each_s && each_j ? std::optional(each_j->value / each_s->value) : std::nullopt;
  }
  /// The least time that these FLOPs and bytes take on a device that does no more than the roof; nothing
  /// without any of both.
  std::optional<double> roof_s(const Roof& roof) const;
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
  std::optional<int64_t> parameters, multiply_adds;  ///< nothing where only launches are known
  std::vector<LayerResult> layers;                   ///< in the order in which they first run
  std::string buffers = "context";  ///< how each_s and each_j were measured: in the network, or as LayerAlone
  std::optional<Roof> roof;
  std::string energy_missing;    ///< why there is no energy, where it was asked for
  std::optional<double> idle_w;  ///< of the device, held with nothing to do
  std::optional<NetworkCheck> check;
  /// The sum of the layers' launches against all of them played one after another, in context: a share, and
  /// the half-width of its 95 % interval.
  std::optional<Interval> against_whole;
  nlohmann::json run;  ///< device, versions, command

  bool complete() const;        ///< every layer has a time
  double latency_s() const;     ///< of those that have one, all of their count
  double bottleneck_s() const;  ///< the longest layer
  std::optional<double> energy_j() const;
  /// Of layers alone, all of their count; nothing where one has no time.
  std::optional<double> latency_alone_s(const std::string& buffers) const;
  std::optional<double> energy_alone_j(const std::string& buffers) const;
  /// With every layer on a stage of its own, all of them working at once: what stages that wait for the
  /// longest draw is added.
  std::optional<double> energy_with_idle_j() const;
};

}  // namespace kjoule
