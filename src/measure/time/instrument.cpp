#include "measure/time/instrument.hpp"

#include "measure/time/clocked_instrument.hpp"
#include "measure/time/stamped_instrument.hpp"

namespace kjoule {

std::unique_ptr<Instrument> make_instrument(Device& device, const Clock& clock,
                                            const TimedIteration& iteration, const Plan& plan) {
  if (const auto* clocked = std::get_if<ClockedPlan>(&plan))
    return std::make_unique<ClockedInstrument>(device, clock, iteration, *clocked);
  return std::make_unique<StampedInstrument>(device, clock, iteration, std::get<StampedPlan>(plan));
}

}  // namespace kjoule
