#pragma once

namespace kjoule {

/// Highest rates that a device was measured to reach.
struct Roof {
  double flop_per_s = 0, byte_per_s = 0;
};

}  // namespace kjoule
