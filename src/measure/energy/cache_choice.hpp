#pragma once
#include "device/device.hpp"
#include "measure/energy/energy_block.hpp"

namespace kjoule {

/// Chooses whether the groups' iterations begin with warm or with flushed caches, and stores the choice in
/// the plan. Flushed caches are chosen if they bring the groups' times clearly closer to their times in
/// context. The time that flushing adds to the whole iteration counts against them: it shows that the program
/// finds data of its last iteration in the caches. Each time is measured in three pilots of 20 ms.
void choose_caches(Device& device, EnergyPlan& plan);

}  // namespace kjoule
