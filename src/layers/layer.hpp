#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recording/operator_call.hpp"

namespace kjoule {

/// One layer of a network: the operator call that runs it, and its amount of work.
struct Layer {
  std::string name;
  std::string kind;  ///< "conv", "matmul", ...
  OperatorCall call;
  int64_t parameters = 0;  ///< number of trainable parameters
  /// Number of multiply-adds of convolutions, matrix products and attention, counted as in published tables.
  /// Causal attention counts only the keys that are not after a query. 0 for other layers.
  int64_t multiply_adds = 0;
  /// Number of bytes that are read and written, with each element of a tensor counted at most once.
  int64_t bytes = 0;
  /// Number of the network's layers that this layer represents. It is above 1 if a block of layers is
  /// repeated many times in the network, but is run fewer times.
  int64_t count = 1;

  double flops() const { return 2.0 * static_cast<double>(multiply_adds); }
  /// Returns whether both layers do the same work with the same sizes. Such layers are measured once, and
  /// their number is counted.
  bool same_work(const Layer& other) const { return kind == other.kind && call == other.call; }
};

/// The layers of a network that are run, in order.
struct Network {
  std::string name, about;
  std::vector<Layer> layers;
  std::optional<int64_t> batch{};  ///< the size named "batch", if the network has one

  int64_t parameters() const;
  int64_t multiply_adds() const;
};

}  // namespace kjoule
