#pragma once
#include "cli/options/printed.hpp"

namespace kjoule {

/// Prints the features that this machine has and those that it lacks, with a remedy for each that is missing.
/// Returns 0 if `kjoule compare --model` works on the CPU.
int doctor(const Printed& printed);

}  // namespace kjoule
