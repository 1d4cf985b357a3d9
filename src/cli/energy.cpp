#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/files.hpp"
#include "base/parse_number.hpp"
#include "base/terminal.hpp"
#include "cli/command.hpp"
#include "cli/energy_timing.hpp"
#include "cli/full_names_option.hpp"
#include "cli/numbers.hpp"
#include "cli/printed.hpp"
#include "power/logs/log_series.hpp"
#include "power/logs/power_log_reader.hpp"
#include "power/timestamp.hpp"
#include "report/energy_reports.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

constexpr double kLargestOffset_s = 1e8;
/// A kernel that ran in less than this share of its window gets a warning, because its energy includes idle
/// time.
constexpr double kBusyShare = 0.9;
/// Time zones differ by multiples of 15 minutes.
constexpr int64_t kZoneStep_ns = 900'000'000'000;
constexpr int64_t kZones = 56;  ///< 56 steps are 14 hours

/// Parses FROM..TO.
PowerWindow log_window(const std::string& text) {
  const size_t dots = text.find("..");
  const auto from = moments_of(text.substr(0, dots));
  const auto to = dots == std::string::npos ? std::vector<int64_t>{} : moments_of(text.substr(dots + 2));
  if (from.empty() || to.empty())
    throw UsageError("--idle " + text + ": is neither watts nor two timestamps",
                     "--idle 80.5, or --idle \"2026-02-04 10:00:00..2026-02-04 10:01:00\" in the log's time");
  if (from.size() > 1 || to.size() > 1)
    throw UsageError("--idle " + text + ": its times occur twice, as clocks were set back",
                     "give them with a zone: 2026-10-25T02:30:00+01:00");
  return {from.front(), to.front()};
}

class Energy final : public Command {
 public:
  std::string name() const override { return "energy"; }
  std::string help() const override {
    return "computes energies from a power log and the timestamps of a timing file";
  }
  std::string example() const override { return "kjoule energy --power-log power.csv --timing results"; }
  std::vector<TableColumns> tables() const override { return {energy_columns()}; }
  void declare(CLI::App& app) override {
    app.add_option(
           "--power-log", log_path_,
           "power log: a CSV file of a WattsUp meter, of nvidia-smi, or with columns of times and powers")
        ->required();
    app.add_option("--timing,--benchmark-result", timing_paths_,
                   "full_model_timing.json, isolated_kernels_timing.json, or a results folder; two of them "
                   "may be given")
        ->required()
        ->type_size(1)
        ->expected(1, 2)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("-o,--output", output_,
                   "file or folder of energy_report.json, next to which gpu_energy_report.json is written; "
                   "default: folder of the timing file");
    app.add_option("--offset", offset_s_, "seconds that are added to the log's times")->capture_default_str();
    app.add_option("--idle", idle_,
                   "idle power in W, or the time FROM..TO of the log in which the device was idle; adds "
                   "energies above idle power to the report");
    app.add_option("--gpu", choice_.gpus,
                   "GPU of the log by index or name, or all for the sum of all GPUs; default: the only GPU")
        ->type_size(1)
        ->expected(1, 64);
    app.add_option("--series", choice_.names,
                   "series of the log by name; several are added up; default: the only series")
        ->type_size(1)
        ->expected(1, 64);
    app.add_option("--averaging", averaging_s_,
                   "averaging time of the meter in seconds; default: 1 for WattsUp meters and nvidia-smi, "
                   "otherwise 0")
        ->check(above_zero());
    app.add_option("--time-column", time_column_,
                   "name of the log's column with times; default: found by usual names");
    app.add_option("--power-column", power_column_,
                   "name of the log's column with powers, in W unless it names another unit; default: found "
                   "by usual names");
    app.add_option("--top", top_, "number of kernels to show")->capture_default_str()->check(at_least(0));
    full_names_.declare(app);
    printed_.declare(app, "print the JSON report instead of the table", "print CSV instead of the table");
  }

  int run() override {
    if (!(std::abs(offset_s_) <= kLargestOffset_s))
      throw UsageError(fmt::format("--offset {} is no number of seconds", offset_s_),
                       "give e.g. --offset -3600");
    const Timings timings = read_timings({timing_paths_.begin(), timing_paths_.end()});
    ColumnNames columns{time_column_, {}};
    if (!power_column_.empty()) columns.powers.push_back(power_column_);
    const PowerLog log = read_power_log(log_path_, columns);
    const LogFacts meter = log_facts(log);
    const double averaging_s = averaging_s_ > 0 ? averaging_s_ : meter.averaging_s.value_or(0);
    std::vector<PowerCurve> curves;
    for (const PowerSeries* series : chosen_series(log, choice_)) curves.emplace_back(*series, averaging_s);
    LogEnergies energies;
    energies.source = source(log, meter, averaging_s, curves);
    integrate(timings, curves, energies);
    write(energies, timings);
    print(energies);
    return complain(energies);
  }

 private:
  EnergySource source(const PowerLog& log, const LogFacts& meter, double averaging_s,
                      const std::vector<PowerCurve>& curves) const {
    EnergySource source;
    source.path = log.path;
    source.format = log.format;
    source.meter = meter;
    source.averaging_s = averaging_s;
    source.offset_s = offset_s_;
    source.warnings = log.warnings;
    for (const PowerCurve& curve : curves) {
      source.series.push_back(curve.series().name);
      const double step_w = curve.power_step_w();
      if (step_w > 0) source.power_step_w = std::max(source.power_step_w.value_or(0), step_w);
    }
    if (!idle_.empty()) set_idle(curves, source);
    return source;
  }

  void set_idle(const std::vector<PowerCurve>& curves, EnergySource& source) const {
    if (const auto watts = parse_number(idle_)) {
      if (*watts < 0) throw UsageError("--idle " + idle_ + " is below 0 W", "give the idle power");
      source.idle_w = Interval{*watts, 0};
      source.idle_from = "given";
      return;
    }
    const WindowEnergy idle = total_energy(curves, log_window(idle_));
    if (!idle.joules)
      throw Error("--idle " + idle_ + ": " + idle.missing, "name a window in which the log has readings");
    if (idle.silent())
      throw Error(fmt::format("--idle {}: the meter was silent for {:.3f} s", idle_, idle.silent_s()),
                  "name a window without gaps");
    source.idle_w = Interval{idle.average_w, idle.joules->half_width / idle.window.seconds()};
    source.idle_from = idle_;
  }

  void integrate(const Timings& timings, const std::vector<PowerCurve>& curves, LogEnergies& energies) const {
    refuse_other_times(timings, curves);
    if (timings.full) {
      energies.full = energy(*timings.full, curves);
      energies.full_timing = timings.full_path.string();
    }
    energies.kernels_timing = timings.kernels_path.string();
    for (const TimedKernel& timed : timings.kernels) {
      KernelEnergy kernel = timed.kernel;
      if (timed.block)
        kernel.timed = energy(*timed.block, curves);
      else
        kernel.timed.energy.missing = timed.error;
      energies.kernels.push_back(std::move(kernel));
    }
    if (auto warning = idling_warning(energies, timings)) energies.warnings.push_back(*std::move(warning));
  }

  /// Returns a warning about windows in which the work ran only a part of the time, if there are any.
  static std::optional<std::string> idling_warning(const LogEnergies& energies, const Timings& timings) {
    std::vector<std::string> idling;
    const auto check = [&](const std::string& name, const TimedEnergy& timed, double least_s) {
      const double seconds = timed.energy.window.seconds();
      if (!timed.energy.joules || least_s <= 0 || least_s >= kBusyShare * seconds) return;
      idling.push_back(fmt::format("{} ran in {:.2g} % of its window", name, 100 * least_s / seconds));
    };
    if (energies.full) check("the whole", *energies.full, timings.full->least_s);
    for (size_t k = 0; k < energies.kernels.size(); ++k)
      if (const auto& block = timings.kernels[k].block)
        check(energies.kernels[k].name, energies.kernels[k].timed, block->least_s);
    if (idling.empty()) return {};
    const std::string others = idling.size() > 1 ? fmt::format(", and {} others in under {:.0f} % of theirs",
                                                               idling.size() - 1, 100 * kBusyShare)
                                                 : "";
    return fmt::format("{}{}: what was drawn between runs is in their energy", idling.front(), others);
  }

  PowerWindow in_log_time(PowerWindow window) const {
    const auto offset_ns = static_cast<int64_t>(std::llround(offset_s_ * 1e9));
    return {window.begin_ns - offset_ns, window.end_ns - offset_ns};
  }

  /// Returns the energy of a block. It is missing if the block's timestamps contradict its runs, or may mean
  /// several windows of the log.
  TimedEnergy energy(const TimedBlock& block, const std::vector<PowerCurve>& curves) const {
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
    std::erase_if(windows, [&](const PowerWindow& window) { return !is_in_log(window, curves); });
    if (windows.size() > 1)
      timed.energy.missing = "its times occur twice, as clocks were set back, and the log has both";
    else
      timed.energy = total_energy(curves, windows.empty() ? first : windows.front());
    return timed;
  }

  static bool is_in_log(const PowerWindow& window, const std::vector<PowerCurve>& curves) {
    return std::all_of(curves.begin(), curves.end(), [&](const PowerCurve& curve) {
      const auto& samples = curve.series().samples;
      return samples.front().unix_ns <= window.begin_ns && window.end_ns <= samples.back().unix_ns;
    });
  }

  /// Throws Error when none of the timed work lies within the log, because then a clock, a time zone or a
  /// file is wrong.
  void refuse_other_times(const Timings& timings, const std::vector<PowerCurve>& curves) const {
    int64_t first = INT64_MAX, last = INT64_MIN;
    const auto take = [&](const TimedBlock& block) {
      const PowerWindow window = in_log_time(longest_window(block));
      first = std::min(first, window.begin_ns);
      last = std::max(last, window.end_ns);
    };
    if (timings.full) take(*timings.full);
    for (const TimedKernel& kernel : timings.kernels)
      if (kernel.block) take(*kernel.block);
    if (first > last) return;
    const auto& samples = curves.front().series().samples;
    const int64_t log_first = samples.front().unix_ns, log_last = samples.back().unix_ns;
    if (last >= log_first && first <= log_last) return;
    throw Error(fmt::format("{} reads from {} to {}, what was timed ran from {} to {}", log_path_,
                            local_timestamp(log_first), local_timestamp(log_last), local_timestamp(first),
                            local_timestamp(last)),
                shift_remedy({first, last}, {log_first, log_last}));
  }

  std::string shift_remedy(PowerWindow timed, PowerWindow log) const {
    for (int64_t quarters = 1; quarters <= kZones; ++quarters)
      for (const int64_t shift_ns : {quarters * kZoneStep_ns, -quarters * kZoneStep_ns})
        if (timed.begin_ns - shift_ns >= log.begin_ns && timed.end_ns - shift_ns <= log.end_ns)
          return fmt::format("if one of them is in another time zone: --offset {}",
                             offset_s_ + static_cast<double>(shift_ns) * 1e-9);
    return "name the log of this run, or correct a clock with --offset";
  }

  fs::path report_path(const Timings& timings) const {
    const fs::path beside = (timings.full ? timings.full_path : timings.kernels_path).parent_path();
    if (output_.empty()) return beside / "energy_report.json";
    return fs::is_directory(output_) ? fs::path(output_) / "energy_report.json" : fs::path(output_);
  }

  void write(const LogEnergies& energies, const Timings& timings) {
    const fs::path path = report_path(timings);
    if (energies.full) {
      write_json(path, energy_report(energies));
      written_.push_back(path.string());
    }
    if (energies.kernels.empty()) return;
    // If only kernels were timed, -o is the file of their report.
    const bool alone = !energies.full && !output_.empty() && !fs::is_directory(output_);
    const fs::path kernels = alone ? path : path.parent_path() / "gpu_energy_report.json";
    write_json(kernels, gpu_energy_report(energies));
    written_.push_back(kernels.string());
  }

  void print(const LogEnergies& energies) const {
    printed_.print(
        [&] { return energies.kernels.empty() ? energy_report(energies) : gpu_energy_report(energies); },
        [&] { return energy_csv(energies); },
        [&] {
          return fmt::format("{}written: {}\n",
                             energy_text(energies, static_cast<size_t>(top_), full_names_.style()),
                             fmt::join(written_, ", "));
        });
  }

  /// Prints warnings and missing values. Returns 1 if a value is missing or in doubt because the meter was
  /// silent, otherwise 0.
  static int complain(const LogEnergies& energies) {
    for (const auto* warnings : {&energies.source.warnings, &energies.warnings})
      for (const std::string& warning : *warnings) print_error("warning: {}\n", warning);
    const bool whole = energies.full && complain_of_whole(energies.full->energy);
    const bool kernels = complain_of_kernels(energies.kernels);
    return whole || kernels ? 1 : 0;
  }

  static bool complain_of_whole(const WindowEnergy& whole) {
    if (!whole.joules) {
      print_error("kjoule: the whole has no energy: {}; {}\n", whole.missing, remedy_of(whole));
      return true;
    }
    if (whole.few_samples)
      print_error("warning: only {} readings in the whole's {:.3f} s; run more (--runs)\n", whole.samples,
                  whole.window.seconds());
    if (!whole.silent()) return false;
    print_error(
        "kjoule: the meter was silent for {:.3f} s of the whole's {:.3f} s; check its cable and its "
        "logger, and run again\n",
        whole.silent_s(), whole.window.seconds());
    return true;
  }

  static bool complain_of_kernels(const std::vector<KernelEnergy>& kernels) {
    const auto is_missing = [](const KernelEnergy& kernel) { return !kernel.each_j(); };
    const auto is_silent = [](const KernelEnergy& kernel) {
      return kernel.each_j() && kernel.timed.energy.silent();
    };
    const auto missing = std::count_if(kernels.begin(), kernels.end(), is_missing);
    const auto silent = std::count_if(kernels.begin(), kernels.end(), is_silent);
    if (missing > 0) {
      const KernelEnergy& first = *std::find_if(kernels.begin(), kernels.end(), is_missing);
      print_error("kjoule: {} of {} kernels have no energy ({}{}: {}); {}\n", missing, kernels.size(),
                  missing > 1 ? "the first: " : "", first.name, first.timed.energy.missing,
                  remedy_of(first.timed.energy));
    } else if (silent > 0) {
      const KernelEnergy& first = *std::find_if(kernels.begin(), kernels.end(), is_silent);
      print_error(
          "kjoule: the meter was silent during {} of {} kernels ({}{}: silent for {:.3f} s); check its "
          "cable and its logger, and run again\n",
          silent, kernels.size(), silent > 1 ? "the first: " : "", first.name, first.timed.energy.silent_s());
    }
    return missing > 0 || silent > 0;
  }

  /// Returns what can be done about an energy that is missing.
  static const char* remedy_of(const WindowEnergy& energy) {
    if (energy.frozen) return "check the meter, or choose another one (--series, --gpu)";
    if (energy.samples == 0 && energy.window.seconds() <= 0)
      return "give times with a zone, or a longer window";
    return "log from before the run until after it, faster than its shortest window, and check the timing "
           "file";
  }

  std::string log_path_, output_, idle_, time_column_, power_column_;
  std::vector<std::string> timing_paths_, written_;
  double offset_s_ = 0, averaging_s_ = 0;
  FullNamesOption full_names_;
  int top_ = 20;
  SeriesChoice choice_;
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> energy_command() {
  return std::make_unique<Energy>();
}

}  // namespace kjoule
