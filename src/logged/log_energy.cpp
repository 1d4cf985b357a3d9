#include "logged/log_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "logged/group_energy.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

/// Step between the time zones that are tried: 15 minutes.
constexpr int64_t kZoneStep_ns = 900'000'000'000;
constexpr int64_t kZones = 56;  ///< number of steps that are tried in each direction: 14 hours
/// Largest distance of the searched clock offset from the given one: more than an hour, so that a time zone
/// that is off by an hour is found.
constexpr double kSearched_s = 4000;

/// Returns whether the time lies between the first and the last reading of each curve.
bool is_read_at(int64_t unix_ns, const std::vector<PowerCurve>& curves) {
  return std::all_of(curves.begin(), curves.end(), [&](const PowerCurve& curve) {
    const auto& samples = curve.series().samples;
    return samples.front().unix_ns <= unix_ns && unix_ns <= samples.back().unix_ns;
  });
}

/// Returns whether the log reaches both ends of the window, apart from times that are bridged.
bool covers(const PowerWindow& window, const std::vector<PowerCurve>& curves) {
  return std::all_of(curves.begin(), curves.end(),
                     [&](const PowerCurve& curve) { return curve.covers(window); });
}

/// Returns the energy of a kernel of a group. `share` is its share of the time of all launches of the group.
TimedEnergy share_of(const TimedEnergy& group, double share, int64_t count) {
  TimedEnergy timed = group;
  if (auto& joules = timed.energy.joules) {
    joules->value *= share;
    joules->half_width *= share;
  }
  if (timed.runs) timed.runs = *timed.runs * count;
  return timed;
}

/// Returns the time in context of all launches of a group's kernels in one iteration, s; nullopt if the time
/// of one kernel is not known.
std::optional<double> time_in_context_s(const std::vector<KernelEnergy>& kernels, const std::string& group) {
  double in_context_us = 0;
  for (const KernelEnergy& kernel : kernels) {
    if (kernel.group != group) continue;
    if (!kernel.in_context_us) return {};
    in_context_us += kernel.in_context_us->value;
  }
  return 1e-6 * in_context_us;
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
  energies.idling = idling_work(energies);
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

std::vector<IdlingWork> LogIntegration::idling_work(const LogEnergies& energies) const {
  std::vector<IdlingWork> idling;
  const auto check = [&](IdlingWork work, const TimedEnergy& timed, double least_s) {
    const double seconds = timed.energy.window.seconds();
    if (!timed.energy.joules || least_s <= 0 || least_s >= kBusyShare * seconds) return;
    work.ran_share = least_s / seconds;
    idling.push_back(std::move(work));
  };
  if (energies.full) check({"the whole", {}}, *energies.full, timings_.full->least_s);
  for (size_t k = 0; k < energies.kernels.size(); ++k)
    if (const auto& block = timings_.kernels[k].block)
      check({{}, energies.kernels[k].name}, energies.kernels[k].timed, block->least_s);
  for (const TimedGroup& group : timings_.groups)
    for (const TimedBlock& block : group.blocks())
      check({"the group of " + group.name, {}}, energy(block), block.least_s);
  return idling;
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
    timed.contradicts_runs = true;
    return timed;
  }
  for (PowerWindow& window : windows) window = in_log_time(window);
  const PowerWindow first = windows.front();
  std::erase_if(windows, [&](const PowerWindow& window) { return !covers(window, curves_); });
  if (windows.size() > 1)
    timed.energy.missing =
        "its local times occurred twice because clocks were set back, and the log contains both";
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
  throw Error(fmt::format("{} has readings from {} to {}, but the timed work ran from {} to {}", source_.path,
                          local_timestamp(log_first), local_timestamp(log_last), local_timestamp(first),
                          local_timestamp(last)),
              shift_remedy({first, last}, {log_first, log_last}));
}

std::string LogIntegration::shift_remedy(PowerWindow timed, PowerWindow log) const {
  for (int64_t quarters = 1; quarters <= kZones; ++quarters)
    for (const int64_t shift_ns : {quarters * kZoneStep_ns, -quarters * kZoneStep_ns})
      if (timed.begin_ns - shift_ns >= log.begin_ns && timed.end_ns - shift_ns <= log.end_ns)
        return fmt::format("if log and timing are in different time zones, give --offset {}",
                           source_.offset_s + static_cast<double>(shift_ns) * 1e-9);
  return "give the log of this run, or correct the log's clock with --offset SECONDS";
}

void find_clock_offset(const Timings& timings, const std::vector<const PowerSeries*>& series,
                       EnergySource& source) {
  if (!timings.pattern) return;
  std::vector<PowerCurve> curves;
  for (const PowerSeries* one : series) curves.emplace_back(*one, source.lag);
  std::vector<PowerSeries::Sample> sums;
  for (const PowerSeries::Sample& sample : series.front()->samples) {
    if (!is_read_at(sample.unix_ns, curves)) continue;
    sums.push_back({sample.unix_ns, 0});
    for (const PowerCurve& curve : curves) sums.back().watts += curve.at(sample.unix_ns);
  }
  try {
    const ClockOffset found =
        find_offset(sums, *timings.pattern, source.lag.averaging_s, source.offset_s, kSearched_s);
    source.found_offset_s = found.seconds;
    source.offset_s = found.seconds.value;
  } catch (const Error& error) {
    source.warnings.push_back(error.line());
  }
}

std::vector<PowerCurve> curves_of(const std::vector<const PowerSeries*>& series, const EnergySource& source) {
  const double clock_error_s = source.found_offset_s ? source.found_offset_s->half_width : 0;
  std::vector<PowerCurve> curves;
  for (const PowerSeries* one : series) {
    MeterLag lag = source.lag;
    lag.time_error_s = one->lag.time_error_s;  // follows from the log's lines, not from the meter
    curves.emplace_back(*one, lag, clock_error_s);
  }
  return curves;
}

void use_readable_whole(const std::vector<PowerCurve>& curves, const EnergySource& source, Timings& timings) {
  if (!timings.full || !timings.whole_block) return;
  const auto offset_ns = static_cast<int64_t>(std::llround(source.offset_s * 1e9));
  const PowerWindow window = longest_window(*timings.full);
  const auto cannot_read = [&](const PowerCurve& curve) {
    const auto& samples = curve.series().samples;
    return window.end_ns - offset_ns < samples.front().unix_ns ||
           window.begin_ns - offset_ns > samples.back().unix_ns ||
           window.seconds() < 2 * std::max(curve.sample_interval_s(), source.lag.averaging_s);
  };
  if (std::none_of(curves.begin(), curves.end(), cannot_read)) return;
  timings.full = timings.whole_block;
  timings.full_path = timings.kernels_path;
}

void add_curves(const std::vector<PowerCurve>& curves, EnergySource& source) {
  for (const PowerCurve& curve : curves) {
    source.series.push_back(curve.series().name);
    const double step_w = curve.power_step_w();
    if (step_w > 0) source.power_step_w = std::max(source.power_step_w.value_or(0), step_w);
  }
}

}  // namespace kjoule
