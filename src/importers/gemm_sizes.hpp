#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace kjoule {

/// Sizes of a matrix product C = A B as a table states them: A has m rows and k columns, B has n columns.
struct GemmSizes {
  std::optional<int64_t> m, n, k, batch;
  /// Data type of A and B: one of kMatrixTypes, or the table's text if it names none of them. Empty if the
  /// table does not state the type.
  std::string dtype;

  bool stated() const { return m || n || k; }
  bool operator==(const GemmSizes&) const = default;
};

/// The largest M, N, K or batch: cuBLAS takes them as 32-bit integers.
inline constexpr int64_t kMostGemmSize = 2147483647;

/// Returns the element of kMatrixTypes for a name that tables use: "fp16", "torch.float16", "Half",
/// "CUDA_R_16F", ... Returns nothing for other names.
std::optional<std::string> matrix_type_named(const std::string& name);

}  // namespace kjoule
