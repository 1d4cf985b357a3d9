#pragma once
#include <cupti.h>

#include <bitset>
#include <cstdint>

namespace kjoule::cuda {

class Cupti;

/// Chooses the driver calls of the program for which CUPTI calls kjoule back. Each callback costs the program
/// time, so that only necessary callbacks are on.
class DriverCallbacks {
 public:
  /// The driver calls with callbacks. Each extent also contains the calls of all extents listed before it.
  enum class Extent : uint8_t {
    none,
    state,     ///< calls that change what launches use: memory, functions, graphs
    launches,  ///< launches, and calls in which the host waits for the device
    /// Calls that kjoule cannot replay or does not know; this extent is used while an iteration is searched.
    work,
    events,  ///< calls that record events or wait for them
    all,     ///< every driver call
  };
  explicit DriverCallbacks(Cupti& cupti) : cupti_(cupti) {}
  /// Sets the extent. Callbacks of a call that belongs to both the old and the new extent stay on without
  /// interruption. Throws Error if CUPTI refuses.
  void set(Extent extent);

 private:
  /// More ids than this CUPTI has, because the CUPTI that is loaded may be newer than that of the build.
  static constexpr CUpti_CallbackId kIds = 2048;

  Cupti& cupti_;
  std::bitset<kIds> on_;
};

}  // namespace kjoule::cuda
