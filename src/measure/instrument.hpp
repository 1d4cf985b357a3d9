#pragma once
#include <memory>

#include "base/clock.hpp"
#include "measure/plan.hpp"
#include "measure/round.hpp"

namespace kjoule {

/// Measures rounds of the whole and of every launch on one device.
class Instrument {
 public:
  virtual ~Instrument() = default;
  /// Measures the round of that number; `spent_ns` is left to the caller. Throws DeviceError.
  virtual Round measure(int number) = 0;
  /// Rounds below which an estimate's interval is not believed.
  virtual size_t fewest_rounds() const = 0;
};

/// The instrument that the plan was made for. Device, clock and iteration outlive it.
std::unique_ptr<Instrument> make_instrument(Device& device, const Clock& clock,
                                            const TimedIteration& iteration, const Plan& plan);

}  // namespace kjoule
