#include <fmt/format.h>

#include <algorithm>

#include "base/files/csv.hpp"
#include "base/json/optional_json.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/printed.hpp"
#include "cli/options/run_arguments.hpp"
#include "cli/options/share.hpp"
#include "cli/options/subject_arguments.hpp"
#include "logged/energy_timing.hpp"
#include "logged/log_energy.hpp"
#include "power/calibration_file.hpp"
#include "power/logs/power_log_reader.hpp"
#include "power/meters/power_source.hpp"
#include "report/kernel_names.hpp"
#include "report/wrapped.hpp"
#include "run/energy_meters.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

namespace {

constexpr size_t kLevelNameLength = 29;

/// A load level that was run, and the timestamps of its beginning and end.
struct PlayedLevel {
  std::string name, start_timestamp, end_timestamp;
};

/// Returns the energies of the levels in one log. The energy of a level is missing if the log does not
/// determine it.
std::vector<KernelEnergy> energies_of(const std::vector<PlayedLevel>& levels,
                                      const std::filesystem::path& path, const MeterFacts& meter) {
  const PowerLog log = read_power_log(path);
  Timings timings;
  for (const PlayedLevel& level : levels) {
    TimedKernel timed;
    timed.kernel.name = level.name;
    timed.block = TimedBlock{level.start_timestamp, level.end_timestamp, {}, 0};
    timings.kernels.push_back(std::move(timed));
  }
  EnergySource source;
  source.path = log.path;
  source.lag = lag_of(meter);
  const std::vector<PowerCurve> curves = curves_of(chosen_series(log, {}), source);
  return LogIntegration(timings, curves, source).energies().kernels;
}

/// Returns the mean power, W.
Interval power_of(const WindowEnergy& energy) {
  return {energy.average_w, energy.joules->half_width / energy.window.seconds()};
}

std::string name_of(const MeterFacts& facts) {
  return fmt::format("{} {}", facts.source, facts.name);
}

/// A calibration, and the load levels to which it was fitted.
struct Calibrated {
  std::vector<LoadLevel> levels;
  SensorLine line;
  Calibration calibration;

  /// Returns how far the sensor's reading of a level is above the line, W.
  double residual_w(const LoadLevel& level) const {
    return level.sensor_w.value - line.at_center_w.value -
           line.gain.value * (level.reference_w.value - line.center_w);
  }
};

std::string calibration_text(const Calibrated& calibrated, const std::string& sensor,
                             const std::filesystem::path& path) {
  std::string text = fmt::format("  {:<{}} {:>9} {:>6} {:>12} {:>6} {:>10}\n", "load level", kLevelNameLength,
                                 "sensor W", "+- W", "reference W", "+- W", "residual W");
  for (const LoadLevel& level : calibrated.levels)
    text += first_cell(level.name, kLevelNameLength) +
            fmt::format(" {:>9.2f} {:>6.2f} {:>12.2f} {:>6.2f} {:>10.2f}\n", level.sensor_w.value,
                        level.sensor_w.half_width, level.reference_w.value, level.reference_w.half_width,
                        calibrated.residual_w(level));
  const Calibration& calibration = calibrated.calibration;
  text += wrapped("  ", fmt::format("{}: {}", sensor,
                                    calibrated_error_text(calibration, calibrated.line.at_center_w.value)));
  if (calibration.reference_accuracy)
    text += wrapped("  ", fmt::format("the interval includes the accuracy of the reference meter, {:.3g} %",
                                      100 * *calibration.reference_accuracy));
  else
    text += wrapped("  ",
                    "the interval does not include the accuracy of the reference meter, which is not known "
                    "(state it in --against, for example as accuracy=1.5%)");
  if (calibration.efficiency)
    text += wrapped(
        "  ",
        fmt::format("of the power at the reference meter, {:.3g} % arrives at the device (--efficiency)",
                    100 * *calibration.efficiency));
  return text + wrapped("", "calibration stored in " + path.string());
}

nlohmann::ordered_json calibration_json(const Calibrated& calibrated, const std::filesystem::path& path) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (const LoadLevel& level : calibrated.levels)
    levels.push_back({{"name", level.name},
                      {"sensor_watts", level.sensor_w.value},
                      {"sensor_half_width_watts", level.sensor_w.half_width},
                      {"reference_watts", level.reference_w.value},
                      {"reference_half_width_watts", level.reference_w.half_width},
                      {"residual_watts", calibrated.residual_w(level)}});
  return {{"calibration", write_fields(calibrated.calibration)},
          {"levels", std::move(levels)},
          {"stored_in", path.string()}};
}

std::string calibration_csv(const Calibrated& calibrated) {
  std::string text =
      "load_level,sensor_watts,sensor_half_width_watts,reference_watts,reference_half_width_watts,"
      "residual_watts\n";
  for (const LoadLevel& level : calibrated.levels)
    text += csv_line({level.name, number_cell(level.sensor_w.value), number_cell(level.sensor_w.half_width),
                      number_cell(level.reference_w.value), number_cell(level.reference_w.half_width),
                      number_cell(calibrated.residual_w(level))}) +
            "\n";
  return text;
}

class PowerCalibrate final : public Command {
 public:
  std::string name() const override { return "calibrate"; }
  std::string help() const override {
    return "finds the gain and offset of a power sensor by comparison with a reference meter";
  }
  std::string example() const override {
    return "kjoule power calibrate --source nvml --against wattsup:/dev/ttyUSB0 --efficiency 92% -- python3 "
           "infer.py";
  }
  std::vector<TableColumns> tables() const override {
    return {{"the load levels",
             {{"load level", "idle, the whole iteration, or kernels that are repeated back to back"},
              {"sensor W", "mean power by the sensor that is calibrated"},
              {"reference W", "mean power by the reference meter, times --efficiency"},
              {"+- W", "half-width of the 95 % interval of the power before it, from sampling"},
              {"residual W", "sensor's power minus that of the fitted line"}}}};
  }

  void declare(CLI::App& app) override {
    meter_input(app.add_option("--source", source_, fmt::format("sensor to calibrate: {}", kSourceHelp)))
        ->required();
    meter_input(app.add_option("--against", against_, "reference meter, in the same form as --source"))
        ->required();
    app.add_option(
        "--efficiency", efficiency_,
        "share of the reference meter's power that reaches the device, such as 92% for a power supply; "
        "required if the reference meter measures the whole system and the sensor does not");
    app.add_option("--block", block_s_,
                   "duration of each load level in seconds; default: as long as 10 readings of the slower "
                   "meter")
        ->check(duration());
    app.add_option("--block-kernels", block_kernels_,
                   "number of kernels, from the largest, each of which is a load level; on a CPU, the other "
                   "kernels of each tier are one more level")
        ->capture_default_str()
        ->check(whole_number(1, kMostShown));
    subject_.declare(app);
    run_.declare_output(app);
    printed_.declare(app,
                     "print the load levels (idle, the whole iteration, single kernels) and the calibration "
                     "as JSON instead of the table",
                     "print the load levels as CSV instead of the table");
  }
  void take_program(std::vector<std::string> program) override { subject_.program = std::move(program); }

  int run() override {
    const auto path = calibrations_path();
    prepare_calibrations(path);  // an error in the file is reported before the measurement
    run_.refuse_folder();
    subject_.streams = printed_.program_streams();
    Subject subject = open_recordable_subject(subject_.checked());
    if (subject.own_meters)
      throw UsageError("the simulated device has no sensor that can be calibrated",
                       "choose --device cpu, or give a program that uses the GPU");
    EnergyMeters meters = open_compared_meters(subject, source_, against_, block_s_);
    const MeterFacts sensor = meters.meters.front()->facts(), reference = meters.meters.back()->facts();
    check_efficiency(sensor, reference);
    const auto sensor_log = std::filesystem::path(run_.folder()) / "sensor.csv";
    const auto reference_log = std::filesystem::path(run_.folder()) / "reference.csv";
    MeasuredRun run("calibrate", subject, run_);
    meters.begin_logs(sensor_log, reference_log);
    const std::vector<PlayedLevel> levels = play(run, subject, meters);
    const Calibrated calibrated =
        fit(energies_of(levels, sensor_log, sensor), energies_of(levels, reference_log, reference), sensor,
            reference, levels.front().start_timestamp);
    store_calibration(path, calibrated.calibration);
    printed_.print([&] { return calibration_json(calibrated, path); },
                   [&] { return calibration_csv(calibrated); },
                   [&] { return calibration_text(calibrated, name_of(sensor), path); });
    return 0;
  }

 private:
  /// Throws UsageError if --efficiency is required but missing, or has no effect.
  void check_efficiency(const MeterFacts& sensor, const MeterFacts& reference) const {
    const bool is_needed = has_other_parts(sensor, reference);
    if (is_needed && efficiency_.empty())
      throw UsageError(
          fmt::format("{} measures the whole system, {} does not, and --efficiency was not given",
                      name_of(reference), name_of(sensor)),
          "state the efficiency of the power supply: --efficiency 92%");
    if (!is_needed && !efficiency_.empty())
      throw UsageError("--efficiency has no effect if both meters measure the same part of the machine",
                       "omit it");
  }

  /// Returns whether the reference measures parts of the machine that the sensor does not.
  static bool has_other_parts(const MeterFacts& sensor, const MeterFacts& reference) {
    return reference.scope == Scope::system && sensor.scope != Scope::system;
  }

  /// Runs the load levels while the meters are logged.
  std::vector<PlayedLevel> play(MeasuredRun& run, Subject& subject, EnergyMeters& meters) const {
    run.record();
    run.isolated();
    const PlayedLevel idle = play_idle(subject, meters);
    run.meter_blocks(meters, block_kernels_);
    run.end_power(meters);
    std::vector<std::string> kernels;
    for (const Kernel& kernel : run.table().kernels) kernels.push_back(kernel.name);
    const KernelNames names(kernels, NameStyle::shortened, kLevelNameLength);
    std::vector<PlayedLevel> levels{idle};
    for (const MeterBlock& block : run.rows().all<MeterBlock>()) {
      const std::vector<uint32_t>& members = block.kernels;
      const std::string level = members.empty()       ? "whole iteration"
                                : members.size() == 1 ? names.shown(kernels.at(members.front()))
                                                      : fmt::format("{} smaller kernels", members.size());
      if (block.error.empty())
        levels.push_back({level, block.with.front().start_timestamp, block.with.front().end_timestamp});
      else
        print_warning("the load level {} is left out: {}", level, block.error);
    }
    return levels;
  }

  /// Lets the device rest. The meters settle on both sides, so that no reading of this level averages over
  /// work before or after it.
  static PlayedLevel play_idle(Subject& subject, EnergyMeters& meters) {
    subject.let_pass(meters.settle_s);
    const int64_t begin_ns = subject.clock->now_ns();
    subject.let_pass(meters.block_s);
    const int64_t end_ns = subject.clock->now_ns();
    subject.let_pass(meters.settle_s);
    return {"idle", subject.clock->local_time(begin_ns), subject.clock->local_time(end_ns)};
  }

  Calibrated fit(const std::vector<KernelEnergy>& by_sensor, const std::vector<KernelEnergy>& by_reference,
                 const MeterFacts& sensor, const MeterFacts& reference, const std::string& made) const {
    Calibrated result;
    const double efficiency = efficiency_.empty() ? 1 : share(efficiency_, "--efficiency");
    for (size_t k = 0; k < by_sensor.size(); ++k) {
      const WindowEnergy &read = by_sensor[k].timed.energy, &true_energy = by_reference[k].timed.energy;
      if (!read.joules || !true_energy.joules) {
        print_warning("the load level {} is left out: {}", by_sensor[k].name,
                      read.joules ? true_energy.missing : read.missing);
        continue;
      }
      const Interval power_w = power_of(true_energy);
      result.levels.push_back(
          {by_sensor[k].name, power_of(read), {efficiency * power_w.value, efficiency * power_w.half_width}});
    }
    result.line = fit_line(result.levels);
    Calibration& calibration = result.calibration;
    calibration.source = sensor.source;
    calibration.device = sensor.device;
    calibration.id = sensor.id;
    calibration.against = name_of(reference);
    calibration.made = made;
    calibration.levels = static_cast<int64_t>(result.levels.size());
    calibration.gain = result.line.gain;
    if (!has_other_parts(sensor, reference)) calibration.offset_w = result.line.offset_w();
    calibration.center_w = result.line.center_w;
    calibration.at_center_w = result.line.at_center_w;
    calibration.reference_accuracy = reference.accuracy;
    if (!efficiency_.empty()) calibration.efficiency = efficiency;
    return result;
  }

  std::string source_, against_, efficiency_;
  std::optional<double> block_s_;
  int block_kernels_ = 10;
  SubjectArguments subject_;
  RunArguments run_;
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> power_calibrate_command() {
  return std::make_unique<PowerCalibrate>();
}

}  // namespace kjoule
