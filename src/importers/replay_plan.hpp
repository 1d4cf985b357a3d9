#pragma once
#include <optional>
#include <string>
#include <vector>

#include "importers/imported_table.hpp"
#include "recording/replay_call.hpp"

namespace kjoule {

/// The calls that launch the kernels of a table again, made from the table alone.
struct ReplayPlan {
  struct Kernel {
    std::optional<size_t> call;  ///< index into `calls`; several kernels may have the same call
    std::string why_not;         ///< the reason why there is no call, and the remedy
    /// Whether operator and sizes are inferred from the kernel's name, grid and block.
    bool is_inferred = false;
  };
  std::vector<ReplayCall> calls;  ///< without duplicates, in order of first use
  std::vector<Kernel> kernels;    ///< one for each kernel of the table
};

/// Returns the calls for the kernels of a table. The profiler does not write the types of tensors in lists:
/// these get the type in their kernel's name, or else the floating-point type that most tensors of the table
/// have. A kernel without an operator whose row states the sizes of a matrix product is replayed by cuBLAS.
ReplayPlan make_replay_plan(const ImportedTable& table);

}  // namespace kjoule
