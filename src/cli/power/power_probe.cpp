#include <fmt/format.h>

#include "base/files/csv.hpp"
#include "base/process/progress.hpp"
#include "base/text/printable.hpp"
#include "base/write_error.hpp"
#include "cli/options/command.hpp"
#include "cli/options/printed.hpp"
#include "power/meters/power_source.hpp"
#include "report/wrapped.hpp"
#include "run/board_sensor.hpp"

namespace kjoule {

namespace {

std::string amplitude_text(const SensorProbe& probe) {
  return fmt::format("+-{:.1f} W around {:.1f} W", probe.beat_w, probe.mean_w);
}

std::string probe_text(const ProbedBoard& probed, const std::filesystem::path& path) {
  const SensorProbe& probe = probed.probe;
  const std::string board = fmt::format("{} ({})", printable(probed.rate.device), printable(probed.rate.id));
  std::string text;
  if (probe.sensor_hz)
    text = wrapped("  ", fmt::format("{}: the power sensor samples {:.2f} +- {:.2g} times a second", board,
                                     probe.sensor_hz->value, probe.sensor_hz->half_width)) +
           wrapped("  ", fmt::format("under a load that alternates near this rate, readings swing by {}",
                                     amplitude_text(probe)));
  else
    text = wrapped("  ",
                   fmt::format("{}: {}; kjoule inserts no pauses against aliasing", board, probe.missing)) +
           wrapped("  ", fmt::format("under the load with the most regular swing, readings swing by {}",
                                     amplitude_text(probe)));
  text += wrapped(
      "  ", fmt::format("{} loads, each busy for {:.2f} ms of its period, read by {} every {:.1f} ms",
                        probe.loads.size(), 1e3 * probe.busy_s, probed.meter.source, 1e3 * probe.reading_s));
  return text + wrapped("", "rate stored in " + path.string());
}

nlohmann::ordered_json probe_json(const ProbedBoard& probed, const std::filesystem::path& path) {
  const SensorProbe& probe = probed.probe;
  nlohmann::ordered_json loads = nlohmann::ordered_json::array();
  for (const ProbedLoad& load : probe.loads)
    loads.push_back({{"load_hz", load.load_hz},
                     {"readings", load.readings},
                     {"mean_watts", load.mean_w},
                     {"deviation_watts", load.deviation_w}});
  return {{"device", probed.rate.device},
          {"id", probed.rate.id},
          {"sensor_rate_hz",
           probe.sensor_hz ? nlohmann::ordered_json(probe.sensor_hz->value) : nlohmann::ordered_json()},
          {"half_width_hz",
           probe.sensor_hz ? nlohmann::ordered_json(probe.sensor_hz->half_width) : nlohmann::ordered_json()},
          {"missing", probe.missing},
          {"beat_watts", probe.beat_w},
          {"mean_watts", probe.mean_w},
          {"source", probed.meter.source},
          {"reading_s", probe.reading_s},
          {"busy_s", probe.busy_s},
          {"loads", std::move(loads)},
          {"stored_in", path.string()}};
}

std::string probe_csv(const SensorProbe& probe) {
  std::string text = "load_hz,readings,mean_watts,deviation_watts\n";
  for (const ProbedLoad& load : probe.loads)
    text += csv_line({fmt::format("{:.4f}", load.load_hz), fmt::format("{}", load.readings),
                      fmt::format("{:.4f}", load.mean_w), fmt::format("{:.4f}", load.deviation_w)}) +
            "\n";
  return text;
}

class PowerProbe final : public Command {
 public:
  std::string name() const override { return "probe"; }
  std::string help() const override {
    return "finds the sampling rate of a GPU's power sensor, so that work that repeats near this rate is "
           "measured correctly";
  }
  std::string example() const override { return "kjoule power probe"; }

  void declare(CLI::App& app) override {
    app.add_option("--device", device_,
                   "device whose sensor is probed, while it does no other work: cuda (the first visible GPU) "
                   "or simulated:SPEC")
        ->capture_default_str();
    app.add_option(
        "--source", meters_.source,
        fmt::format("meter that reads the sensor: {}; default: the device's own meter with the most "
                    "readings per second",
                    kSourceHelp));
    printed_.declare(app, "print the rate and the loads as JSON instead of the text",
                     "print the loads as CSV instead of the text");
  }

  int run() override {
    const std::filesystem::path path = sensor_rates_path();
    prepare_sensor_rates(path);  // an error in the file is reported before the measurement
    Subject load = open_probe_load(device_);
    const ProbedBoard board = probe(load, path);
    printed_.print([&] { return probe_json(board, path); }, [&] { return probe_csv(board.probe); },
                   [&] { return probe_text(board, path); });
    return 0;
  }

 private:
  /// Probes the board of the load. If a GPU's sensor cannot be probed, this result is stored; it is not
  /// stored if the cause is a busy or full GPU, or a meter that the user named.
  ProbedBoard probe(Subject& load, const std::filesystem::path& path) const {
    try {
      EnergyMeters meters = open_probed_meters(load, meters_);
      return probe_board(load, std::move(meters), path, *make_progress());
    } catch (const WriteError&) {
      throw;
    } catch (const BusyDeviceError&) {
      throw;
    } catch (const DeviceError&) {
      throw;
    } catch (const Error& error) {
      if (device_ == "cuda" && !meters_.asked()) note_failed_probe(path, load, error);
      throw;
    }
  }

  std::string device_ = "cuda";
  EnergyMeterOptions meters_;
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> power_probe_command() {
  return std::make_unique<PowerProbe>();
}

}  // namespace kjoule
