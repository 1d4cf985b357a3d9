#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace kjoule::cuda {

/// A variable in machine code for GPUs.
struct CubinVariable {
  std::string name;  ///< mangled
  /// Section of the variable; kernels can write variables in ".nv.global" and ".nv.global.init".
  std::string section;
  size_t bytes = 0;
  bool operator==(const CubinVariable&) const = default;
};

/// Returns the variables in the symbol tables of a cubin, which is a 64-bit ELF file. Symbols outside of the
/// data are ignored. Returns an empty list if the data are not a 64-bit ELF file.
std::vector<CubinVariable> cubin_variables(const void* cubin, size_t bytes);

}  // namespace kjoule::cuda
