#include "cuda/driver/cubin_variables.hpp"

#include <gtest/gtest.h>

#include "cubin.hpp"

namespace kjoule::cuda {
namespace {

std::vector<CubinVariable> variables_of(const std::string& cubin) {
  return cubin_variables(cubin.data(), cubin.size());
}

TEST(CubinVariables, AreThoseOfItsSymbolTable) {
  EXPECT_EQ(
      variables_of(stand_in::cubin_with({{"tally", 4}, {"_ZN4some5tableE", 1 << 20}})),
      (std::vector<CubinVariable>{{"tally", ".nv.global", 4}, {"_ZN4some5tableE", ".nv.global", 1 << 20}}));
}

TEST(CubinVariables, OtherDataHasNone) {
  for (const std::string& data :
       {std::string(), std::string("text"), std::string(4096, '\xff'), std::string(ELFMAG)})
    EXPECT_TRUE(variables_of(data).empty());
}

/// Nothing outside of a damaged file is read, whatever sizes the file states. AddressSanitizer also runs this
/// test.
TEST(CubinVariables, DamagedFilesAreReadWithinTheirBounds) {
  const std::string whole = stand_in::cubin_with({{"tally", 4}, {"table", 64}});
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const std::vector<char> part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(bytes));
    EXPECT_LE(cubin_variables(part.data(), part.size()).size(), 2u);
  }
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char byte : {'\xff', '\x7f', '\x00'}) {
      std::vector<char> changed(whole.begin(), whole.end());
      changed[at] = byte;
      EXPECT_LE(cubin_variables(changed.data(), changed.size()).size(), whole.size() / sizeof(Elf64_Sym));
    }
}

}  // namespace
}  // namespace kjoule::cuda
