#pragma once
#include <memory>

#include "base/clock.hpp"
#include "measure/time/plan.hpp"
#include "measure/time/round.hpp"

namespace kjoule {

/// A method of measuring the whole and every launch on a device, in rounds.
class Instrument {
 public:
  virtual ~Instrument() = default;
  /// Measures round `number`; the caller sets Round::spent_ns. Throws DeviceError.
  virtual Round measure(int number) = 0;
  /// Returns the smallest number of rounds for which the interval of an estimate is reliable.
  virtual size_t fewest_rounds() const = 0;
};

/// Returns the instrument for which the plan was made. Device, clock and iteration must outlive the
/// instrument.
std::unique_ptr<Instrument> make_instrument(Device& device, const Clock& clock,
                                            const TimedIteration& iteration, const Plan& plan);

}  // namespace kjoule
