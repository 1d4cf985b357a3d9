#pragma once
// The choice of calls (recording/replay_call) that launch the kernels of a table again. It needs no device;
// SignatureReplay (compare) makes the calls.

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
    std::string why_not;         ///< reason and remedy if there is no call; otherwise empty
    /// Whether operator and sizes were inferred from the kernel's name, grid and block.
    bool is_inferred = false;
  };
  std::vector<ReplayCall> calls;  ///< without duplicates, in order of first use
  std::vector<Kernel> kernels;    ///< one for each kernel of the table
};

/// Returns the calls for the kernels of a table. The profiler does not write the types of tensors in lists.
/// They get the type in their kernel's name, or otherwise the floating-point type of most tensors in the
/// table. If a row states the sizes of a matrix product, but no operator, cuBLAS replays it.
ReplayPlan make_replay_plan(const ImportedTable& table);

}  // namespace kjoule
