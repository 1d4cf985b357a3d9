#pragma once
#include <memory>

#include "base/clock.hpp"
#include "measure/time/plan.hpp"
#include "measure/time/round.hpp"

namespace kjoule {

/// Measures rounds of the whole and of every launch on one device.
class Instrument {
 public:
  virtual ~Instrument() = default;
  /// Measures round `number`; the caller sets Round::spent_ns. Throws DeviceError.
  virtual Round measure(int number) = 0;
  /// Returns the number of rounds from which on an estimate's interval is reliable.
  virtual size_t fewest_rounds() const = 0;
};

/// Returns the instrument for which the plan was made. Device, clock and iteration must outlive it.
std::unique_ptr<Instrument> make_instrument(Device& device, const Clock& clock,
                                            const TimedIteration& iteration, const Plan& plan);

}  // namespace kjoule
