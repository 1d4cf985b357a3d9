#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "base/process/terminal.hpp"
#include "base/text/parse_number.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/full_names_option.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/page_file.hpp"
#include "cli/options/printed.hpp"
#include "cli/options/share.hpp"
#include "cli/power/log_doubts.hpp"
#include "logged/energy_timing.hpp"
#include "logged/log_energy.hpp"
#include "page/energy_page.hpp"
#include "power/logs/log_series.hpp"
#include "power/logs/power_log_reader.hpp"
#include "power/logs/power_unit.hpp"
#include "power/timestamp.hpp"
#include "report/energy_columns.hpp"
#include "report/energy_reports.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

/// The end of 1970. No log of a GPU has earlier times.
constexpr int64_t kLatestCounted_ns = 365LL * 86'400 * 1'000'000'000;
/// Parses FROM..TO.
PowerWindow log_window(const std::string& text) {
  const size_t dots = text.find("..");
  const auto from = moments_of(text.substr(0, dots));
  const auto to = dots == std::string::npos ? std::vector<int64_t>{} : moments_of(text.substr(dots + 2));
  if (from.empty() || to.empty())
    throw UsageError("--idle " + text + ": is neither watts nor two timestamps",
                     "give for example --idle 80.5, or --idle \"2026-02-04 10:00:00..2026-02-04 10:01:00\" "
                     "in the log's time");
  if (from.size() > 1 || to.size() > 1)
    throw UsageError("--idle " + text + ": these times occur twice, because clocks were set back",
                     "give them with a zone, for example 2026-10-25T02:30:00+01:00");
  return {from.front(), to.front()};
}

constexpr const char* kWholeReport = "energy_report.json";
constexpr const char* kKernelsReport = "gpu_energy_report.json";

class Energy final : public Command {
 public:
  std::string name() const override { return "energy"; }
  std::string help() const override {
    return "computes energies from a power log and the timestamps of a timing file";
  }
  std::string example() const override { return "kjoule energy --power-log power.csv --timing results"; }
  std::vector<TableColumns> tables() const override { return {energy_columns()}; }
  void declare(CLI::App& app) override {
    input_file(
        app.add_option(
            "--power-log", log_path_,
            "power log: a file of a WattsUp meter, nvidia-smi, dcgmi, amd-smi, tegrastats, PTDaemon or "
            "turbostat, or a CSV file with columns of times and powers"))
        ->required();
    input_file(app.add_option(
                   "--timing,--benchmark-result", timing_paths_,
                   "full_model_timing.json, isolated_kernels_timing.json, or a results folder; two of them "
                   "may be given"))
        ->required()
        ->type_size(1)
        ->expected(1, 2)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    output_file_or_folder(
        app.add_option(
            "-o,--output", output_,
            "file or folder of energy_report.json, next to which gpu_energy_report.json is written; "
            "default: folder of the timing file"),
        kEnergyReportOutput);
    app.add_option("--offset", offset_s_,
                   "offset in seconds that is added to the log's times, for example -3600")
        ->capture_default_str()
        ->check(number_between(-kMostDuration_s, kMostDuration_s, "a number of seconds"));
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
                   "averaging time of the meter in seconds; default: as known of the log's columns, "
                   "otherwise the time between readings")
        ->check(duration());
    app.add_option("--accuracy", accuracy_,
                   "systematic error of the meter, such as 1.5%, which is reported next to the intervals; "
                   "default: 1.5% for WattsUp meters, 6% for GPU boards, otherwise not known");
    app.add_option("--time-column", time_column_,
                   "name of the log's column with times, or date+time; default: found by usual names");
    app.add_option("--power-column", power_column_,
                   "name of the log's column with powers, in W unless it names another unit, or a+b for the "
                   "sum of several; default: found by usual names");
    app.add_option("--device-column", device_column_,
                   "name of the log's column that names the GPU or meter; none if all readings are of one "
                   "device; default: found by usual names");
    app.add_option("--unit", unit_,
                   "unit of the log's powers: W, mW, kW or uW; default: as the log states, otherwise W");
    app.add_option("--log-start", log_start_,
                   "when the log began, if it counts its times from then: \"2026-02-04 10:15:00\"");
    app.add_option("--top", top_, "number of kernels to show")
        ->capture_default_str()
        ->check(whole_number(0, kMostShown));
    full_names_.declare(app);
    printed_.declare(app, "print the JSON report instead of the table", "print CSV instead of the table");
    page_.declare(app);
  }

  int run() override {
    Timings timings = read_timings({timing_paths_.begin(), timing_paths_.end()});
    const PowerLog log = read_power_log(log_path_, columns());
    check_counted_times(log);
    const std::vector<const PowerSeries*> series = chosen_series(log, choice_);
    EnergySource found = source(log, lag_of_log(series));
    if (timings.meter && is_of_run(timings)) use_own_meter(*timings.meter, found);
    find_clock_offset(timings, series, found);
    const std::vector<PowerCurve> curves = curves_of(series, found);
    use_readable_whole(curves, found, timings);
    complete(curves, found);
    const LogEnergies energies = LogIntegration(timings, curves, std::move(found)).energies();
    write(energies, timings);
    print(energies);
    if (page_.is_requested()) page_.write(energy_page(energies, series));
    const LogDoubts doubts = doubts_of(energies);
    for (const std::string& warning : doubts.warnings) print_warning("{}", warning);
    for (const std::string& line : doubts.missing) print_error("kjoule: {}\n", line);
    return doubts.missing.empty() ? 0 : 1;
  }

 private:
  /// Returns what the user says about the log's columns.
  ColumnNames columns() const {
    ColumnNames columns{.time = time_column_, .device = device_column_};
    if (!power_column_.empty()) columns.powers.push_back(power_column_);
    if (!unit_.empty()) columns.unit_w = stated_unit(unit_);
    if (log_start_.empty()) return columns;
    const std::vector<int64_t> moments = moments_of(log_start_);
    if (moments.size() != 1)
      throw UsageError(
          "--log-start " + log_start_ + (moments.empty() ? ": not a timestamp" : ": this time occurs twice"),
          "give date and time, and the zone if clocks were set back then: "
          "--log-start 2026-10-25T02:30:00+01:00");
    columns.log_start_ns = moments.front();
    return columns;
  }

  /// Throws Error if the times of the log are so early that they are rather counted from its start.
  void check_counted_times(const PowerLog& log) const {
    for (const PowerSeries& series : log.series)
      if (!log_start_.empty() || series.samples.back().unix_ns > kLatestCounted_ns) return;
    throw Error(log.path + ": its times are in 1970, so they are rather counted from the start of the log",
                "state when the log began: --log-start \"2026-02-04 10:15:00\"");
  }

  /// Returns the largest lag of the series, with the averaging time that the user states, if any.
  MeterLag lag_of_log(const std::vector<const PowerSeries*>& series) const {
    MeterLag lag =
        (*std::ranges::max_element(series, {}, [](auto* one) { return one->lag.averaging_s; }))->lag;
    for (const PowerSeries* one : series) lag.delay_s = std::max(lag.delay_s, one->lag.delay_s);
    return averaging_s_ > 0 ? stated_lag(lag, averaging_s_) : lag;
  }

  /// Returns whether the log is one that the run of the timing files has written.
  bool is_of_run(const Timings& timings) const {
    const fs::path log(log_path_), timing = timings.full ? timings.full_path : timings.kernels_path;
    std::error_code ignored;
    return log.filename().string().starts_with("power_") &&
           fs::equivalent(fs::absolute(log).parent_path(), fs::absolute(timing).parent_path(), ignored);
  }

  /// Sets the facts of the logged meter that the user does not state.
  void use_own_meter(const LoggedMeter& meter, EnergySource& source) const {
    const EnergySource stated = source;
    use_meter(meter, source);
    if (averaging_s_ > 0) source.lag = stated.lag;
    if (accuracy_.empty()) return;
    source.meter.accuracy = stated.meter.accuracy;
    source.meter.accuracy_from = stated.meter.accuracy_from;
  }

  EnergySource source(const PowerLog& log, const MeterLag& lag) const {
    EnergySource source;
    source.path = log.path;
    source.format = log.format;
    source.meter = log_facts(log);
    if (!accuracy_.empty()) {
      source.meter.accuracy = share(accuracy_, "--accuracy");
      source.meter.accuracy_from = "stated with --accuracy";
    }
    source.lag = lag;
    source.offset_s = offset_s_;
    source.warnings = log.warnings;
    return source;
  }

  /// Adds to the source the facts that are found from the curves, and the idle power.
  void complete(const std::vector<PowerCurve>& curves, EnergySource& source) const {
    add_curves(curves, source);
    if (!idle_.empty()) set_idle(curves, source);
  }

  void set_idle(const std::vector<PowerCurve>& curves, EnergySource& source) const {
    if (const auto watts = parse_number(idle_)) {
      if (*watts < 0)
        throw UsageError("--idle " + idle_ + ": a power below 0 W",
                         "give a power of 0 W or more, for example --idle 80.5");
      if (const double most = highest_w(curves); *watts > most)
        throw UsageError(
            fmt::format("--idle {}: the log has no power above {:.1f} W, so no device was idle at this power",
                        idle_, most),
            "give the idle power in W, or the time FROM..TO of the log in which the device was idle");
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

  /// Returns the highest power that the log states, W: the sum of the highest readings of its meters.
  static double highest_w(const std::vector<PowerCurve>& curves) {
    double sum = 0;
    for (const PowerCurve& curve : curves)
      sum += std::ranges::max(curve.series().samples, {}, &PowerSeries::Sample::watts).watts;
    return sum;
  }

  /// Returns the path of the whole's report. If -o names the file of the kernels' report, it is next to it.
  fs::path report_path(const Timings& timings) const {
    const fs::path beside = (timings.full ? timings.full_path : timings.kernels_path).parent_path();
    if (output_.empty()) return beside / kWholeReport;
    const fs::path named = output_;
    if (fs::is_directory(named)) return named / kWholeReport;
    return timings.full && named.filename() == kKernelsReport ? named.parent_path() / kWholeReport : named;
  }

  void write(const LogEnergies& energies, const Timings& timings) {
    const fs::path path = report_path(timings);
    // If only kernels were timed, -o names the file of gpu_energy_report.json.
    const bool alone = !energies.full && !output_.empty() && !fs::is_directory(output_);
    const fs::path kernels = alone ? path : path.parent_path() / kKernelsReport;
    if (energies.full && !energies.kernels.empty() && is_stream(path))
      throw UsageError("-o " + output_ + ": two reports are written, and both cannot be in a pipe or device",
                       "name a folder with -o, or give only one timing file");
    // Both are checked before one of them is written.
    if (energies.full) check_report(path);
    if (!energies.kernels.empty()) check_report(kernels);
    if (energies.full) {
      write_report(path, energy_report(energies));
      written_.push_back(path.string());
    }
    if (energies.kernels.empty()) return;
    write_report(kernels, gpu_energy_report(energies));
    written_.push_back(kernels.string());
  }

  void check_report(const fs::path& path) const {
    if (path == output_)
      check_output_file(path);
    else
      OutputPlace(path).check_writable();
    refuse_foreign(path, kEnergyReportOutput);
  }

  /// Writes a report. Only the file that the user named may be a pipe or a device.
  void write_report(const fs::path& path, const nlohmann::ordered_json& report) const {
    if (path == output_)
      write_named(path, json_file_text(report));
    else
      write_json(path, report);
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

  std::string log_path_, output_, idle_, accuracy_, time_column_, power_column_, device_column_;
  std::string unit_, log_start_;
  std::vector<std::string> timing_paths_, written_;
  double offset_s_ = 0, averaging_s_ = 0;
  FullNamesOption full_names_;
  int top_ = 20;
  SeriesChoice choice_;
  Printed printed_;
  PageFile page_;
};

}  // namespace

std::unique_ptr<Command> energy_command() {
  return std::make_unique<Energy>();
}

}  // namespace kjoule
