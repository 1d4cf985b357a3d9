#include "cli/power/log_doubts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/files/files.hpp"
#include "base/text/counted.hpp"
#include "report/energy_reports.hpp"

namespace kjoule {

namespace {

/// A kernel's window that is shorter than this share of the whole's block is no block: all blocks of a run
/// are about equally long.
constexpr double kBlockShare = 0.5;

/// Returns whether the kernel has no block, although the whole has one: its window is then that of its
/// replays in isolation.
bool lacks_block(const KernelEnergy& kernel, const LogEnergies& energies) {
  if (!energies.whole_block || kernel.timed.energy.frozen) return false;
  const double seconds = kernel.timed.energy.window.seconds();
  return seconds > 0 && seconds < kBlockShare * energies.whole_block->timed.energy.window.seconds();
}

/// Returns whether the log has at most one reading of a kernel that was replayed for a short time only.
bool is_too_short(const KernelEnergy& kernel) {
  constexpr double kShort_s = 1;
  const double seconds = kernel.timed.energy.window.seconds();
  return !kernel.timed.contradicts_runs && kernel.timed.energy.samples < 2 && seconds > 0 &&
         seconds < kShort_s;
}

/// Returns the remedy for a missing energy.
std::string remedy_of(const WindowEnergy& energy) {
  if (energy.frozen) return "check the meter, or choose another one (--series, --gpu)";
  if (energy.samples == 0 && energy.window.seconds() <= 0)
    return "give times with a zone, or a longer window";
  return "log from before the run until after it, with an interval below its shortest window, and check the "
         "timing file";
}

void add_whole(const WindowEnergy& whole, LogDoubts& doubts) {
  if (!whole.joules)
    return doubts.missing.push_back(
        fmt::format("the whole has no energy: {}; {}", whole.missing, remedy_of(whole)));
  if (whole.few_samples)
    doubts.warnings.push_back(fmt::format("the whole has only {} in {:.3f} s; run more iterations (--runs)",
                                          counted(whole.samples, "reading"), whole.window.seconds()));
  if (whole.bridged_s > 0)
    doubts.warnings.push_back(fmt::format(
        "the log has no reading in {:.3f} s at the ends of the whole; the nearest reading was used, and the "
        "interval contains the energy of this time; stop the logger some seconds after the run",
        whole.bridged_s));
  if (whole.silent())
    doubts.missing.push_back(fmt::format(
        "the meter was silent for {:.3f} s of the whole's {:.3f} s; check its cable and its logger, and run "
        "again",
        whole.silent_s(), whole.window.seconds()));
}

/// Returns the remedy for the missing energy of a kernel.
std::string remedy_of(const KernelEnergy& kernel, const LogEnergies& energies) {
  if (!kernel.error.empty())
    return "use kjoule compare, which measures kernels in context if they can be replayed there";
  if (!energies.whole_block && is_too_short(kernel))
    return "log from before the run until after it, and measure again with --block 3, so that each kernel is "
           "repeated until the meter can read it";
  if (!lacks_block(kernel, energies)) return remedy_of(kernel.timed.energy);
  return fmt::format(
      "measure again with --block-kernels {}, so that each kernel is repeated until the meter can read it",
      energies.kernels.size());
}

void add_kernels(const LogEnergies& energies, LogDoubts& doubts) {
  const std::vector<KernelEnergy>& kernels = energies.kernels;
  const KernelNames names = names_of(energies);
  const auto is_missing = [](const KernelEnergy& kernel) { return !kernel.each_j(); };
  const auto is_silent = [](const KernelEnergy& kernel) {
    return kernel.each_j() && kernel.timed.energy.silent();
  };
  const auto missing = std::count_if(kernels.begin(), kernels.end(), is_missing);
  const auto silent = std::count_if(kernels.begin(), kernels.end(), is_silent);
  if (missing > 0) {
    const KernelEnergy& first = *std::find_if(kernels.begin(), kernels.end(), is_missing);
    doubts.missing.push_back(fmt::format("{} of {} kernels have no energy ({}{}: {}); {}", missing,
                                         kernels.size(), missing > 1 ? "the first: " : "",
                                         names.shown(first.name), first.timed.energy.missing,
                                         remedy_of(first, energies)));
  } else if (silent > 0) {
    const KernelEnergy& first = *std::find_if(kernels.begin(), kernels.end(), is_silent);
    doubts.missing.push_back(fmt::format(
        "the meter was silent during {} of {} kernels ({}{}: silent for {:.3f} s); check its cable and its "
        "logger, and run again",
        silent, kernels.size(), silent > 1 ? "the first: " : "", names.shown(first.name),
        first.timed.energy.silent_s()));
  }
}

}  // namespace

LogDoubts doubts_of(const LogEnergies& energies) {
  LogDoubts doubts;
  doubts.warnings = warnings_of(energies);
  if (energies.full) add_whole(energies.full->energy, doubts);
  add_kernels(energies, doubts);
  return doubts;
}

std::vector<std::filesystem::path> write_energies(const LogEnergies& energies,
                                                  const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> written;
  if (energies.full) {
    written.push_back(folder / "energy_report.json");
    write_json(written.back(), energy_report(energies));
  }
  if (!energies.kernels.empty()) {
    written.push_back(folder / "gpu_energy_report.json");
    write_json(written.back(), gpu_energy_report(energies));
  }
  return written;
}

}  // namespace kjoule
