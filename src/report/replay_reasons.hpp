#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/tables/replayed_table.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

/// Kernels that share the reason why they cannot be replayed.
struct ReplayReason {
  std::string why;                 ///< cause and remedy
  std::vector<std::string> names;  ///< full name of each of these kernels, in the order of the table
};

/// Returns the reasons why kernels of a table cannot be replayed, known before anything is replayed: no call
/// is known that launches them.
std::vector<ReplayReason> reasons_without_call(const ImportedTable& table);
/// Returns the reasons why kernels were not replayed.
std::vector<ReplayReason> reasons_of_replay(const ReplayedTable& table);

/// Returns `title` and a paragraph for each reason, with the kernels' names; empty if there are no reasons.
std::string reasons_text(const std::string& title, const std::vector<ReplayReason>& reasons,
                         const KernelNames& names);
/// Returns a list of objects with `error`, the number of `kernels`, and the name of the `first` one.
nlohmann::ordered_json reasons_json(const std::vector<ReplayReason>& reasons);
/// Returns the number of kernels of all reasons.
size_t number_of_kernels(const std::vector<ReplayReason>& reasons);

}  // namespace kjoule
