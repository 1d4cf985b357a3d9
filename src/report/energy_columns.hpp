#pragma once
#include "logged/log_energies.hpp"
#include "report/kernel_names.hpp"
#include "report/table_column.hpp"

namespace kjoule {

/// A kernel whose energy comes from a power log, or the whole, with the data that its columns need.
struct ReportedEnergy {
  const TimedEnergy* timed = nullptr;
  const KernelEnergy* kernel = nullptr;  ///< null for the whole
  const KernelNames* names = nullptr;
};

/// Returns the columns of energies from a power log: of energy_text(), energy_csv() and the kernels in
/// gpu_energy_report().
const std::vector<TableColumn<ReportedEnergy>>& logged_energy_columns();
/// Returns those of them that energy_text() shows, for the help.
TableColumns energy_columns();

/// Return the energy of all launches of the kernel in one iteration, J: count x the energy of one launch, and
/// that in context. Return nullopt if it is not known.
std::optional<double> total_j(const KernelEnergy& kernel);
std::optional<double> in_context_j(const KernelEnergy& kernel);
/// Returns why the energy is doubtful or missing; empty if it is neither.
std::string flags_text(const WindowEnergy& energy);
/// Returns the time for which the meter was silent, s; null if the log does not cover the window.
nlohmann::ordered_json silent_seconds(const WindowEnergy& energy);

}  // namespace kjoule
