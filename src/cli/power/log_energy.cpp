#include "cli/power/log_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "cli/power/group_energy.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

/// A kernel that ran in less than this share of its window gets a warning, because its energy includes idle
/// time.
constexpr double kBusyShare = 0.9;
/// A kernel's window that is shorter than this share of the whole's block is no block: all blocks of a run
/// are about equally long.
constexpr double kBlockShare = 0.5;
/// Time zones differ by multiples of 15 minutes.
constexpr int64_t kZoneStep_ns = 900'000'000'000;
constexpr int64_t kZones = 56;  ///< 56 steps are 14 hours
/// Clock offsets that are tried on both sides of the given one: more than an hour, for a wrong zone.
constexpr double kSearched_s = 4000;

bool is_in_log(const PowerWindow& window, const std::vector<PowerCurve>& curves) {
  return std::all_of(curves.begin(), curves.end(), [&](const PowerCurve& curve) {
    const auto& samples = curve.series().samples;
    return samples.front().unix_ns <= window.begin_ns && window.end_ns <= samples.back().unix_ns;
  });
}

/// Returns the share of a group's energy that a kernel has: its share of the time of all launches.
TimedEnergy share_of(const TimedEnergy& group, double share, int64_t count) {
  TimedEnergy timed = group;
  if (auto& joules = timed.energy.joules) {
    joules->value *= share;
    joules->half_width *= share;
  }
  if (timed.runs) timed.runs = *timed.runs * count;
  return timed;
}

/// Returns the time in context of all launches of a group's kernels in one iteration, s; nullopt if that of
/// one of them is not known.
std::optional<double> time_in_context_s(const std::vector<KernelEnergy>& kernels, const std::string& group) {
  double in_context_us = 0;
  for (const KernelEnergy& kernel : kernels) {
    if (kernel.group != group) continue;
    if (!kernel.in_context_us) return {};
    in_context_us += kernel.in_context_us->value;
  }
  return 1e-6 * in_context_us;
}

/// Returns whether a kernel was not repeated for the meter, though other work was: its window is that of its
/// replays in isolation.
bool lacks_block(const KernelEnergy& kernel, const LogEnergies& energies) {
  if (!energies.whole_block || kernel.timed.energy.frozen) return false;
  const double seconds = kernel.timed.energy.window.seconds();
  return seconds > 0 && seconds < kBlockShare * energies.whole_block->timed.energy.window.seconds();
}

/// Returns what can be done about an energy that is missing.
std::string remedy_of(const WindowEnergy& energy) {
  if (energy.frozen) return "check the meter, or choose another one (--series, --gpu)";
  if (energy.samples == 0 && energy.window.seconds() <= 0)
    return "give times with a zone, or a longer window";
  return "log from before the run until after it, faster than its shortest window, and check the timing "
         "file";
}

void add_whole(const WindowEnergy& whole, LogDoubts& doubts) {
  if (!whole.joules)
    return doubts.missing.push_back(
        fmt::format("the whole has no energy: {}; {}", whole.missing, remedy_of(whole)));
  if (whole.few_samples)
    doubts.warnings.push_back(fmt::format("only {} readings in the whole's {:.3f} s; run more (--runs)",
                                          whole.samples, whole.window.seconds()));
  if (whole.silent())
    doubts.missing.push_back(fmt::format(
        "the meter was silent for {:.3f} s of the whole's {:.3f} s; check its cable and its logger, and run "
        "again",
        whole.silent_s(), whole.window.seconds()));
}

/// Returns what can be done about a kernel's energy that is missing.
std::string remedy_of(const KernelEnergy& kernel, const LogEnergies& energies) {
  if (!kernel.error.empty()) return "kjoule compare measures in context what can be replayed there";
  if (!lacks_block(kernel, energies)) return remedy_of(kernel.timed.energy);
  return fmt::format("measure again with --block-kernels {}, which repeats each of them for the meter",
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

LogIntegration::LogIntegration(const Timings& timings, const std::vector<PowerCurve>& curves,
                               EnergySource source)
    : timings_(timings), curves_(curves), source_(std::move(source)) {}

LogEnergies LogIntegration::energies() const {
  refuse_other_times();
  LogEnergies energies;
  energies.source = source_;
  if (timings_.full) {
    energies.full = energy(*timings_.full);
    energies.full_timing = timings_.full_path.string();
  }
  energies.kernels_timing = timings_.kernels_path.string();
  if (timings_.whole_block)
    energies.whole_block = WholeBlock{energy(*timings_.whole_block), timings_.whole_block_us};
  energies.in_context = timings_.in_context;
  for (const TimedKernel& timed : timings_.kernels) {
    KernelEnergy kernel = timed.kernel;
    if (timed.block)
      kernel.timed = energy(*timed.block);
    else
      kernel.timed.energy.missing = kernel.error;
    energies.kernels.push_back(std::move(kernel));
  }
  share_groups(energies);
  if (auto warning = idling_warning(energies)) energies.warnings.push_back(*std::move(warning));
  return energies;
}

TimedEnergy LogIntegration::energy_of(const TimedGroup& group, std::optional<double> in_context_s) const {
  if (!group.error.empty()) {
    TimedEnergy failed;
    failed.energy.missing = group.error;
    return failed;
  }
  if (group.together) return energy(*group.together);
  const auto logged = [this](const std::vector<TimedBlock>& blocks) {
    std::vector<LoggedIterations> iterations;
    for (const TimedBlock& block : blocks) iterations.push_back({energy(block), block.run_s()});
    return iterations;
  };
  return energy_of_difference(logged(group.with), logged(group.without), in_context_s);
}

void LogIntegration::share_groups(LogEnergies& energies) const {
  std::map<std::string, double> group_us;
  for (const KernelEnergy& kernel : energies.kernels) group_us[kernel.group] += kernel.alone_us();
  for (const TimedGroup& group : timings_.groups) {
    const TimedEnergy of_all = energy_of(group, time_in_context_s(energies.kernels, group.name));
    for (KernelEnergy& kernel : energies.kernels)
      if (kernel.group == group.name) {
        kernel.timed = share_of(of_all, kernel.alone_us() / group_us[group.name], kernel.count);
        kernel.error = group.error;
      }
  }
}

std::optional<std::string> LogIntegration::idling_warning(const LogEnergies& energies) const {
  std::vector<std::string> idling;
  const auto check = [&](const std::string& name, const TimedEnergy& timed, double least_s) {
    const double seconds = timed.energy.window.seconds();
    if (!timed.energy.joules || least_s <= 0 || least_s >= kBusyShare * seconds) return;
    idling.push_back(fmt::format("{} ran in {:.2g} % of its window", name, 100 * least_s / seconds));
  };
  const KernelNames names = names_of(energies);
  if (energies.full) check("the whole", *energies.full, timings_.full->least_s);
  for (size_t k = 0; k < energies.kernels.size(); ++k)
    if (const auto& block = timings_.kernels[k].block)
      check(names.shown(energies.kernels[k].name), energies.kernels[k].timed, block->least_s);
  for (const TimedGroup& group : timings_.groups)
    for (const TimedBlock& block : group.blocks())
      check("the group of " + group.name, energy(block), block.least_s);
  if (idling.empty()) return {};
  const std::string others = idling.size() > 1 ? fmt::format(", and {} others in under {:.0f} % of theirs",
                                                             idling.size() - 1, 100 * kBusyShare)
                                               : "";
  return fmt::format("{}{}: what was drawn between runs is in their energy", idling.front(), others);
}

PowerWindow LogIntegration::in_log_time(PowerWindow window) const {
  const auto offset_ns = static_cast<int64_t>(std::llround(source_.offset_s * 1e9));
  return {window.begin_ns - offset_ns, window.end_ns - offset_ns};
}

TimedEnergy LogIntegration::energy(const TimedBlock& block) const {
  TimedEnergy timed{{}, block.start_timestamp, block.end_timestamp, block.runs};
  std::vector<PowerWindow> windows = windows_of(block);
  if (windows.empty()) {
    timed.energy.window = longest_window(block);
    timed.energy.missing = fmt::format("its timestamps are {:.3f} s apart, but its runs took {:.3f} s",
                                       timed.energy.window.seconds(), block.least_s);
    return timed;
  }
  for (PowerWindow& window : windows) window = in_log_time(window);
  const PowerWindow first = windows.front();
  std::erase_if(windows, [&](const PowerWindow& window) { return !is_in_log(window, curves_); });
  if (windows.size() > 1)
    timed.energy.missing = "its times occur twice, as clocks were set back, and the log has both";
  else
    timed.energy = total_energy(curves_, windows.empty() ? first : windows.front());
  return timed;
}

void LogIntegration::refuse_other_times() const {
  int64_t first = INT64_MAX, last = INT64_MIN;
  const auto take = [&](const TimedBlock& block) {
    const PowerWindow window = in_log_time(longest_window(block));
    first = std::min(first, window.begin_ns);
    last = std::max(last, window.end_ns);
  };
  if (timings_.full) take(*timings_.full);
  for (const TimedKernel& kernel : timings_.kernels)
    if (kernel.block) take(*kernel.block);
  for (const TimedGroup& group : timings_.groups) {
    for (const TimedBlock& block : group.blocks()) take(block);
  }
  if (timings_.whole_block) take(*timings_.whole_block);
  if (first > last) return;
  const auto& samples = curves_.front().series().samples;
  const int64_t log_first = samples.front().unix_ns, log_last = samples.back().unix_ns;
  if (last >= log_first && first <= log_last) return;
  throw Error(fmt::format("{} reads from {} to {}, what was timed ran from {} to {}", source_.path,
                          local_timestamp(log_first), local_timestamp(log_last), local_timestamp(first),
                          local_timestamp(last)),
              shift_remedy({first, last}, {log_first, log_last}));
}

std::string LogIntegration::shift_remedy(PowerWindow timed, PowerWindow log) const {
  for (int64_t quarters = 1; quarters <= kZones; ++quarters)
    for (const int64_t shift_ns : {quarters * kZoneStep_ns, -quarters * kZoneStep_ns})
      if (timed.begin_ns - shift_ns >= log.begin_ns && timed.end_ns - shift_ns <= log.end_ns)
        return fmt::format("if one of them is in another time zone: --offset {}",
                           source_.offset_s + static_cast<double>(shift_ns) * 1e-9);
  return "name the log of this run, or correct a clock with --offset";
}

void find_clock_offset(const Timings& timings, const std::vector<const PowerSeries*>& series,
                       EnergySource& source) {
  if (!timings.pattern) return;
  std::vector<PowerCurve> curves;
  for (const PowerSeries* one : series) curves.emplace_back(*one, source.averaging_s);
  std::vector<PowerSeries::Sample> sums;
  for (const PowerSeries::Sample& sample : series.front()->samples) {
    const PowerWindow moment{sample.unix_ns, sample.unix_ns};
    if (!is_in_log(moment, curves)) continue;
    sums.push_back({sample.unix_ns, 0});
    for (const PowerCurve& curve : curves) sums.back().watts += curve.at(sample.unix_ns);
  }
  try {
    const ClockOffset found =
        find_offset(sums, *timings.pattern, source.averaging_s, source.offset_s, kSearched_s);
    source.found_offset_s = found.seconds;
    source.offset_s = found.seconds.value;
  } catch (const Error& error) {
    source.warnings.push_back(error.line());
  }
}

std::vector<PowerCurve> curves_of(const std::vector<const PowerSeries*>& series, const EnergySource& source) {
  // At an edge, a curve errs by the power's range times half of its averaging time.
  const double of_offset_s = source.found_offset_s ? 2 * source.found_offset_s->half_width : 0;
  std::vector<PowerCurve> curves;
  for (const PowerSeries* one : series) curves.emplace_back(*one, std::max(source.averaging_s, of_offset_s));
  return curves;
}

void add_curves(const std::vector<PowerCurve>& curves, EnergySource& source) {
  for (const PowerCurve& curve : curves) {
    source.series.push_back(curve.series().name);
    const double step_w = curve.power_step_w();
    if (step_w > 0) source.power_step_w = std::max(source.power_step_w.value_or(0), step_w);
  }
}

LogDoubts doubts_of(const LogEnergies& energies) {
  LogDoubts doubts;
  for (const auto* warnings : {&energies.source.warnings, &energies.warnings})
    doubts.warnings.insert(doubts.warnings.end(), warnings->begin(), warnings->end());
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
