#pragma once
#include "device/device.hpp"
#include "measure/energy/energy_block.hpp"

namespace kjoule {

/// Chooses whether the groups' iterations begin with warm or with flushed caches, and stores the choice in
/// the plan. Flushed caches are chosen if the groups' times are then clearly closer to their times in
/// context, even if the time that flushing adds to the iteration itself is counted, too. That time shows that
/// the program finds data of its last iteration in the caches. Pilots of 20 ms measure each time three times.
void choose_caches(Device& device, EnergyPlan& plan);

}  // namespace kjoule
