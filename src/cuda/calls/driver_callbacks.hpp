#pragma once
#include <cupti.h>

#include <bitset>
#include <cstdint>

namespace kjoule::cuda {

class Cupti;

/// Chooses the driver calls of the program that cause callbacks. Each of them costs the program time.
class DriverCallbacks {
 public:
  /// Each extent contains the one before it.
  enum class Extent : uint8_t {
    none,
    state,     ///< calls that change what launches use: memory, functions, graphs
    launches,  ///< launches, and calls in which the host waits for the device
    work,      ///< calls that kjoule cannot replay, or does not know: while an iteration is searched
    events,    ///< calls that record events or wait for them
    all,       ///< every driver call
  };
  explicit DriverCallbacks(Cupti& cupti) : cupti_(cupti) {}
  /// Sets the extent. A call that belongs to the old extent and to the new one causes callbacks all the time.
  /// Throws Error when CUPTI refuses.
  void set(Extent extent);

 private:
  /// More than CUPTI knows: a newer one than that of the build may know further calls.
  static constexpr CUpti_CallbackId kIds = 2048;

  Cupti& cupti_;
  std::bitset<kIds> on_;
};

}  // namespace kjoule::cuda
