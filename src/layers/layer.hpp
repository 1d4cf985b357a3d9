#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recording/operator_call.hpp"

namespace kjoule {

/// One layer of a network: what it calls, and what it costs by its sizes.
struct Layer {
  std::string name;
  std::string kind;  ///< "conv", "matmul", ...
  OperatorCall call;
  int64_t parameters = 0;  ///< that training would learn
  /// Multiply-adds of convolutions, matrix products and attention, as published counts have them; 0 for
  /// others.
  int64_t multiply_adds = 0;
  int64_t bytes = 0;  ///< read and written, each tensor once
  /// Of the network's layers of this work, those for which this one is run: more than itself where a block
  /// that is repeated often is run fewer times.
  int64_t count = 1;

  double flops() const { return 2.0 * static_cast<double>(multiply_adds); }
  /// The same work on the same sizes: measured once and counted.
  bool same_work(const Layer& other) const { return kind == other.kind && call == other.call; }
};

/// The layers of one network that are run, in order.
struct Network {
  std::string name, about;
  std::vector<Layer> layers;
  std::optional<int64_t> batch{};  ///< where it has a size of that name

  int64_t parameters() const;
  int64_t multiply_adds() const;
};

}  // namespace kjoule
