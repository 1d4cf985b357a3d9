#pragma once
#include <cstdint>
#include <vector>

#include "importers/repetition_finder.hpp"

namespace kjoule {

/// A launch as a test specifies it, with small numbers instead of hashes.
struct ScriptedLaunch {
  uint64_t shape = 0;
  uint64_t arguments = 1;  ///< 0 when unknown
  int64_t pause_ns = 5000;
};
using ScriptedLaunches = std::vector<ScriptedLaunch>;

inline uint64_t spread(uint64_t number) {
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
  number = (number ^ number >> 27) * 0x94D049BB133111EBu;
  return number ^ number >> 31;
}

/// A program that issues the launches that a test specifies, observed by a RepetitionFinder. Launches are
/// ignored once the iteration is found.
class ScriptedProgram {
 public:
  RepetitionFinder finder;

  void run(const ScriptedLaunch& launch) {
    if (finder.found()) return;
    now_ns_ += launch.pause_ns;
    finder.add(spread(launch.shape), launch.arguments == 0 ? 0 : spread(launch.arguments), now_ns_);
  }
  void run(const ScriptedLaunches& launches) {
    for (const ScriptedLaunch& launch : launches) run(launch);
  }
  size_t found_length() const { return finder.found() ? finder.found()->length : 0; }

 private:
  int64_t now_ns_ = 1'000'000;
};

/// Returns the launches of one pass through a network: `layers` times the same `per_layer` launches, then a
/// head of `head` launches. Every `weights_every`-th launch of a layer reads the layer's own weights.
/// `variant` changes the addresses of activations; use 0 for buffers that stay at their addresses.
inline ScriptedLaunches layered_pass(uint64_t layers, uint64_t per_layer, uint64_t weights_every,
                                     uint64_t head, uint64_t variant = 0) {
  ScriptedLaunches pass;
  for (uint64_t layer = 0; layer < layers; ++layer) {
    for (uint64_t i = 0; i < per_layer; ++i) {
      const uint64_t weights = i % weights_every == 0 ? layer : 0;
      pass.push_back({100 + i, 1 + i + 1000 * weights + 1'000'000 * variant});
    }
  }
  for (uint64_t i = 0; i < head; ++i) pass.push_back({500 + i, 900 + i + 1'000'000 * variant});
  return pass;
}

}  // namespace kjoule
