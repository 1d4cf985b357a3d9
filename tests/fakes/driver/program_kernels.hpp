#pragma once

namespace stand_in {

/// An argument of `mix` that is a struct.
struct MixShape {
  unsigned rows;
  unsigned columns;
  double scale;
  char transposed;
};

/// As nvcc would mangle mix(float*, const float*, const float*, MixShape, float, bool, int).
inline constexpr const char* kMix = "_Z3mixPfPKfS1_8MixShapefbi";

/// A kernel that counts its launches, and the variable of its module in which it does.
inline constexpr const char* kTally = "tally";
unsigned* tally();

/// A kernel that is named as one of NVSHMEM's; it fills memory.
inline constexpr const char* kNvshmem = "nvshmemi_fill_kernel";

}  // namespace stand_in
