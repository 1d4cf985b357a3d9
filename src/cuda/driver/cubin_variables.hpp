#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace kjoule::cuda {

/// A variable in machine code for GPUs.
struct CubinVariable {
  std::string name;     ///< mangled
  std::string section;  ///< kernels can write ".nv.global" and ".nv.global.init"
  size_t bytes = 0;
  bool operator==(const CubinVariable&) const = default;
};

/// Returns the variables in the symbol tables of a cubin, which is a 64-bit ELF file. Parts that lie outside
/// of the data are treated as absent. Data that are no such file have no variables.
std::vector<CubinVariable> cubin_variables(const void* cubin, size_t bytes);

}  // namespace kjoule::cuda
