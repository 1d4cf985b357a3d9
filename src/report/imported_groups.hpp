#pragma once
#include <optional>
#include <string>
#include <vector>

#include "importers/imported_table.hpp"

namespace kjoule {

/// What the lines of an imported table stand for.
enum class GroupBy { signature, name, operator_call, tier, category };
/// "signature", "name", "operator", "tier" or "category"; throws Error for another.
GroupBy group_by(const std::string& text);
/// The word that asks for it, which is also the column's name.
std::string group_by_text(GroupBy by);

/// Kernels that are shown together.
struct KernelGroup {
  std::string label;
  std::vector<const ImportedKernel*> kernels;
  uint64_t launches = 0;
  std::optional<LaunchTimes> times;  ///< nothing when a kernel's are unknown
  bool steady = true;                ///< each kernel is launched equally often in every iteration

  std::optional<double> mean_ns() const;
};

/// Largest total time first, without times most launches first. The groups point into `table`.
std::vector<KernelGroup> kernel_groups(const ImportedTable& table, GroupBy by);

}  // namespace kjoule
