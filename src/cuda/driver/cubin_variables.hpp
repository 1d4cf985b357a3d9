#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace kjoule::cuda {

/// A variable in machine code for GPUs.
struct CubinVariable {
  std::string name;     ///< mangled
  std::string section;  ///< ".nv.global" and ".nv.global.init" can be written by kernels
  size_t bytes = 0;
  bool operator==(const CubinVariable&) const = default;
};

/// Returns the variables in the symbol tables of a cubin, which is an ELF file of 64 bits. What lies outside
/// of the data counts as absent; other data has none.
std::vector<CubinVariable> cubin_variables(const void* cubin, size_t bytes);

}  // namespace kjoule::cuda
