#pragma once
#include "cli/options/printed.hpp"

namespace kjoule {

/// Prints what this machine has and what it lacks, with a remedy for everything that is missing. Returns 0 if
/// `kjoule compare --model` works on the CPU.
int doctor(const Printed& printed);

}  // namespace kjoule
