#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "power/meters/meter.hpp"

namespace kjoule {

/// A meter of this machine, readable or not.
struct FoundMeter {
  std::string id{};      ///< the meter's key for open(): a GPU's UUID, a serial port, a RAPL domain, a column
  std::string device{};  ///< the measured device or the meter's place: "NVIDIA H200", a serial port, a file
  MeterFacts facts{};
  std::string gpu{};     ///< of a log: the GPU as the log names it; empty if the log names no device
  std::string lack{};    ///< why the meter cannot be read; empty if it can
  std::string remedy{};  ///< how to make it readable
};

/// One kind of meter. find() and open() throw Error with a remedy if this machine lacks something.
class PowerSource {
 public:
  virtual ~PowerSource() = default;
  virtual std::string name() const = 0;  ///< the source's name in the option `--source`
  virtual std::string help() const = 0;  ///< a short description for the user
  /// Returns the meters on this machine, at least one. Throws Error if there is none.
  virtual std::vector<FoundMeter> find() = 0;
  /// Opens a meter that find() returned. Throws Error if it cannot be read.
  virtual std::unique_ptr<Meter> open(const FoundMeter& found) = 0;
  /// Returns the time in seconds that a meter may need for its first reading. A device that needs longer is
  /// considered not to be such a meter.
  virtual double patience_s() const { return 5; }
};

/// Options of the sources. Tests set other places at which sources search for meters.
struct PowerSourceOptions {
  double interval_s = 0.04;         ///< time between readings, for sources whose interval can be set
  std::vector<std::string> gpus{};  ///< GPUs to read, by index or UUID; empty for all
  /// Time between two records of a WattsUp meter, in seconds. Meters of other makes send more often.
  double wattsup_interval_s = 1;
  std::optional<double> accuracy{};  ///< systematic error that the user states, as a share
  std::filesystem::path powercap = "/sys/class/powercap";
  /// The serial ports of WattsUp meters; empty for those of /dev/ttyUSB0 and /dev/ttyUSB1 that exist.
  std::vector<std::string> ports{};
  std::filesystem::path devices = "/dev";
  std::filesystem::path csv{};              ///< the file that the source `csv` follows
  std::string csv_time{};                   ///< the file's column of times; empty: found by its usual names
  std::vector<std::string> csv_columns{};   ///< its columns of power; empty: found by their usual names
  double csv_offset_s = 0;                  ///< added to its times, if a host with another clock writes it
  std::optional<double> csv_averaging_s{};  ///< averaging time of its meter; absent: the time between lines
};

/// Returns all sources that find meters by themselves (all except csv), the preferred ones first.
std::vector<std::unique_ptr<PowerSource>> power_sources(const PowerSourceOptions& options);
/// The part of an option's help that lists the sources and their settings.
constexpr const char* kSourceHelp =
    "nvml-counter, nvml, nvidia-smi, wattsup, rapl or csv:FILE; settings follow the name: "
    "nvidia-smi:interval=SECONDS,gpu=N, wattsup:/dev/ttyUSB0,/dev/ttyUSB1, "
    "csv:FILE,column=NAME,offset=SECONDS";
/// Returns the source of this name: one of power_sources() or "csv:FILE", optionally with settings
/// (source_name.hpp). Throws Error for other names.
std::unique_ptr<PowerSource> power_source(const std::string& name, PowerSourceOptions options);
/// Returns the meters in `found` of the GPUs `gpus` (any name of GpuNames); all meters if `gpus` is empty.
/// The names in a log may be other names of these GPUs. Throws Error if there is no such GPU.
std::vector<FoundMeter> meters_of_gpus(const std::vector<FoundMeter>& found,
                                       const std::vector<std::string>& gpus);

}  // namespace kjoule
