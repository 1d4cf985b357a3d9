#pragma once
#include "device/device.hpp"
#include "measure/energy/energy_block.hpp"

namespace kjoule {

/// Chooses whether the groups' iterations begin with warm or with flushed caches, and stores the choice in
/// the plan. Flushed caches are chosen if the groups' times with flushed caches are clearly closer to their
/// times in context than with warm caches. Flushing may also lengthen the whole, which shows that the program
/// finds data of its last iteration in the caches; this additional time counts against flushed caches. Each
/// time is measured in three short readings of 20 ms.
void choose_caches(Device& device, EnergyPlan& plan);

}  // namespace kjoule
