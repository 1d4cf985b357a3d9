#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "power/meters/meter.hpp"

namespace kjoule {

/// A meter that is there, or is there but cannot be read.
struct FoundMeter {
  std::string id{};      ///< what open() takes: a GPU's UUID, a serial port, a RAPL domain, a column
  std::string device{};  ///< "NVIDIA H200", a port, a file
  MeterFacts facts{};
  std::string lack{};    ///< why it cannot be read; empty when it can
  std::string remedy{};  ///< what helps
};

/// One kind of meter. What it lacks on this machine is the Error of find() and open(), with a remedy.
class PowerSource {
 public:
  virtual ~PowerSource() = default;
  virtual std::string name() const = 0;  ///< as `--source` names it
  virtual std::string help() const = 0;  ///< what it is, in a few words
  /// The meters on this machine, at least one. Throws Error when there is none.
  virtual std::vector<FoundMeter> find() = 0;
  /// Opens one of those for reading; throws Error.
  virtual std::unique_ptr<Meter> open(const FoundMeter& found) = 0;
  /// How long a meter may be silent at the beginning before it is taken for something else.
  virtual double patience_s() const { return 5; }
};

/// Where sources look; tests name other places.
struct PowerPlaces {
  double interval_s = 0.04;  ///< between readings, for those that are told how often
  std::filesystem::path powercap = "/sys/class/powercap";
  /// Serial ports; empty for those of /dev/ttyUSB0 and /dev/ttyUSB1 that are there.
  std::vector<std::string> ports{};
  std::filesystem::path devices = "/dev";
  std::filesystem::path csv{};             ///< the file that `csv` follows
  std::string csv_time{};                  ///< its column of times; empty to find it by its usual names
  std::vector<std::string> csv_columns{};  ///< its columns of power; empty likewise
};

/// All kinds that look for meters by themselves (all but csv), the finest first.
std::vector<std::unique_ptr<PowerSource>> power_sources(const PowerPlaces& places);
/// The source of that name: one of power_sources() or "csv:FILE". Throws
/// Error for a name that is none.
std::unique_ptr<PowerSource> power_source(const std::string& name, PowerPlaces places);

}  // namespace kjoule
