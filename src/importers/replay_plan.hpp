#pragma once
#include <optional>
#include <string>
#include <vector>

#include "importers/imported_table.hpp"
#include "recording/replay_call.hpp"

namespace kjoule {

/// How the kernels of a table are launched again from what it says of them alone.
struct ReplayPlan {
  struct Kernel {
    std::optional<size_t> call;  ///< place in `calls`: several kernels may come from one call
    std::string why_not;         ///< there is none, and the remedy
  };
  std::vector<ReplayCall> calls;  ///< each once, in order of first use
  std::vector<Kernel> kernels;    ///< one for each kernel of the table
};

/// Tensors whose type the profiler does not write (those in lists) get that of their kernel's name, else the
/// one that most tensors of the table have.
ReplayPlan replay_plan(const ImportedTable& table);

}  // namespace kjoule
