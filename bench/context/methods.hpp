#pragma once
#include <memory>
#include <string>
#include <vector>

#include "measure/sweep.hpp"

namespace kjoule {

/// One way to time the whole or the sum of its launches.
struct Method {
  std::string name;
  Pass pass;  ///< seconds of the whole timed among the launches go to launch number `launches`
  double divided_by = 1;
  int repeats = 1;
  std::unique_ptr<Track> track{};
};

/// The whole, `iterations` in a stretch.
Pass whole(size_t launches, int iterations);

/// The whole in three ways, and what the set tries. `fill`: iterations that take 20 ms. Throws Error for an
/// unknown set.
std::vector<Method> methods_of(const std::string& set, size_t launches, int fill);

}  // namespace kjoule
