// The variables in machine code for GPUs.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace facts {

struct CubinVariable {
  std::string name;
  std::string section;
  size_t bytes;
};

/// Returns the variables in the symbol table of a cubin, which is an ELF file; none for other data.
std::vector<CubinVariable> cubin_variables(const void* cubin, size_t bytes);

}  // namespace facts
