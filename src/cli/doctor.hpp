#pragma once
#include "cli/printed.hpp"

namespace kjoule {

/// Prints what this machine has and lacks, each lack with its remedy. 0 when the CPU path of compare can
/// work.
int doctor(const Printed& printed);

}  // namespace kjoule
