#include "run/energy_meters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/json/optional_json.hpp"
#include "base/process/terminal.hpp"
#include "power/calibration_file.hpp"
#include "power/instant.hpp"
#include "power/integrate.hpp"
#include "power/meter_lag.hpp"
#include "power/meters/gpu_names.hpp"
#include "power/meters/logged_meter.hpp"
#include "power/meters/meter_sum.hpp"
#include "power/meters/polled_meter.hpp"
#include "power/meters/power_source.hpp"
#include "power/meters/rapl.hpp"
#include "power/meters/source_name.hpp"
#include "power/sensor_rate.hpp"

namespace kjoule {

namespace {

/// Shortest time for which kernels are repeated before a block begins, s.
constexpr double kSettleBefore_s = 0.2;

/// Returns the meter of the GPU with this UUID. If no meter has this UUID, returns the source's first meter;
/// but null if this meter measures a GPU and `uuid` is not empty, because it measures another GPU.
const FoundMeter* meter_for(const std::vector<FoundMeter>& found, const std::string& uuid) {
  const auto its =
      std::find_if(found.begin(), found.end(), [&](const FoundMeter& meter) { return meter.id == uuid; });
  if (its != found.end()) return &*its;
  return found.front().facts.scope == Scope::gpu && !uuid.empty() ? nullptr : &found.front();
}

/// Returns the meter of a log for the GPU with this UUID, which the log may name by another name. Without
/// NVML, other names are not known: the only GPU of a log is then taken, with a warning. Throws Error if no
/// GPU of the log is known to be the measured one.
const FoundMeter& logged_gpu(const std::vector<FoundMeter>& found, const std::string& uuid) {
  const std::vector<GpuNames> gpus = list_gpu_names();
  const GpuNames measured = gpu_with_uuid(uuid, gpus);
  const auto its = std::find_if(found.begin(), found.end(), [&](const FoundMeter& meter) {
    return names_gpu(meter.gpu, measured, gpus);
  });
  if (its != found.end()) return *its;
  std::vector<const FoundMeter*> logged;
  for (const FoundMeter& meter : found)
    if (!meter.gpu.empty()) logged.push_back(&meter);
  const bool may_be_it = logged.size() == 1 && !logged.front()->gpu.starts_with("GPU-");
  if (gpus.empty() && may_be_it) {
    print_warning(
        "the GPU {} of {} is taken for the measured one, because NVML was not found, by which "
        "kjoule would check it",
        logged.front()->gpu, logged.front()->device);
    return *logged.front();
  }
  std::string names;
  for (const FoundMeter* meter : logged) names += (names.empty() ? "" : ", ") + meter->gpu;
  throw Error(fmt::format("{} has the power of GPU {}, but kjoule measures GPU {}{}", found.front().device,
                          names, measured.index.empty() ? "" : measured.index + ", ", uuid),
              "log the measured GPU, or name a GPU of the log with ,gpu=NAME after the file");
}

/// Returns the sampling rate of a meter's sensor; nothing if it is not on a GPU board or was not measured.
std::optional<SensorRate> sensor_rate_of(const MeterFacts& facts, const std::string& device,
                                         const std::string& id) {
  if (facts.scope != Scope::gpu || facts.source == "csv") return {};
  return find_sensor_rate(read_sensor_rates(sensor_rates_path()), device, id);
}

/// Opens a meter that the source found, with its calibration and its sensor's sampling rate.
std::unique_ptr<Meter> open_found(PowerSource& source, const FoundMeter& found) {
  auto meter = source.open(found);
  meter->identify(
      found.device, found.id,
      find_calibration(read_calibrations(calibrations_path()), found.facts.source, found.device, found.id),
      sensor_rate_of(found.facts, found.device, found.id));
  return meter;
}

std::unique_ptr<Meter> open_from(PowerSource& source, const std::string& uuid) {
  const std::vector<FoundMeter> found = source.find();
  const FoundMeter* meter = meter_for(found, uuid);
  if (meter == nullptr)
    throw Error(source.name() + " does not find the GPU " + uuid,
                "kjoule power devices lists the GPUs that it finds");
  return open_found(source, *meter);
}

/// Opens all found meters, and returns one meter for their sum.
template <class Sum>
std::unique_ptr<Meter> sum_of(PowerSource& source, const std::vector<FoundMeter>& found) {
  std::vector<std::unique_ptr<Meter>> parts;
  for (const FoundMeter& meter : found) parts.push_back(open_found(source, meter));
  return std::make_unique<Sum>(std::move(parts));
}

std::string names_of(const std::vector<FoundMeter>& found) {
  std::string names;
  for (const FoundMeter& meter : found) names += (names.empty() ? "" : ", ") + meter.facts.name;
  return names;
}

/// Opens the meter of the source that the user named. If it names several columns of a CSV file (one for each
/// plug of the machine), or if a CPU has several packages, the meter is their sum.
std::unique_ptr<Meter> open_named(PowerSource& source, const SourceName& name, const std::string& uuid) {
  std::vector<FoundMeter> found = source.find();
  if (found.front().facts.scope == Scope::system) return sum_of<MeterSum>(source, found);
  if (name.options.csv_columns.size() > 1) return sum_of<MeterSum>(source, found);
  if (name.name == "rapl")
    if (const auto packages = rapl_packages(found); packages.size() > 1)
      return sum_of<CounterSum>(source, packages);
  const bool names_gpus = name.name == "csv" && found.front().facts.scope == Scope::gpu;
  if (names_gpus)  // of several series of a GPU, the main one is read
    std::erase_if(found, [](const FoundMeter& meter) { return meter.gpu.empty(); });
  if (found.size() > 1 && name.name == "csv" && meter_for(found, uuid) == &found.front() &&
      found.front().id != uuid)
    throw Error(fmt::format("{} has {} series: {}", name.options.csv.string(), found.size(), names_of(found)),
                found.front().facts.scope == Scope::gpu ? "choose one with gpu=N after its name"
                                                        : "choose one with column=NAME after its name");
  // A GPU that was named is the right one, even if the device does not know its UUID.
  if (!name.options.gpus.empty()) return open_found(source, found.front());
  return names_gpus && !uuid.empty() ? open_found(source, logged_gpu(found, uuid)) : open_from(source, uuid);
}

/// Opens the source that the user named, which may be a log that another program is writing.
EnergyMeters named(const std::string& asked, const PowerSourceOptions& places, const std::string& uuid) {
  const SourceName name = read_source_name(asked, places);
  const auto source = power_source(asked, places);
  EnergyMeters opened;
  opened.is_named = true;
  opened.patience_s = source->patience_s();
  opened.meters.push_back(open_named(*source, name, uuid));
  opened.block_s = default_block_s(opened.meters.front()->facts());
  return opened;
}

/// Opens the energy counter and the power samples of the GPU, or only the one that is available.
EnergyMeters own(const PowerSourceOptions& places, const std::string& uuid) {
  EnergyMeters opened;
  if (uuid.empty()) {
    opened.lack = "no power meter for this device was found (choose one with --power-source)";
    return opened;
  }
  for (const char* name : {"nvml-counter", "nvml", "nvidia-smi"}) {
    if (opened.meters.size() == 2) break;
    try {
      opened.meters.push_back(open_from(*power_source(name, places), uuid));
    } catch (const Error& error) {
      if (opened.lack.empty()) opened.lack = error.what();
    }
  }
  if (!opened.meters.empty()) opened.lack.clear();
  return opened;
}

/// Opens the buffer of power samples of the GPU, which is to be read only twice a second: it contains the
/// samples of the last two seconds.
EnergyMeters own_samples(const PowerSourceOptions& places, const std::string& uuid) {
  constexpr double kPause_s = 0.5;
  EnergyMeters opened;
  opened.pause_s = kPause_s;
  try {
    if (!uuid.empty()) opened.meters.push_back(open_from(*power_source("nvml", places), uuid));
  } catch (const Error& error) {
    opened.lack = error.what();
  }
  // A board without such a buffer reports only its present power.
  if (!opened.meters.empty() && opened.meters.front()->facts().tick_s > kPause_s / 10) opened.meters.clear();
  return opened;
}

void check_averaging(const EnergyMeterOptions& options) {
  if (options.averaging_s && !options.asked_source().starts_with("csv:"))
    throw UsageError("--averaging has no effect without a power log",
                     "omit it, or name the log with --power-log");
}

/// Opens the meters of a real GPU that the options ask for. Without a UUID, only a named source has a meter.
EnergyMeters open_real_meters(const std::string& uuid, const EnergyMeterOptions& options) {
  PowerSourceOptions places;
  places.interval_s = options.interval_s;
  places.csv_averaging_s = options.averaging_s;
  if (options.asked()) return named(options.asked_source(), places, uuid);
  return options.own_samples ? own_samples(places, uuid) : own(places, uuid);
}

/// Opens the meters that the options ask for.
EnergyMeters open_meters(const Subject& subject, const EnergyMeterOptions& options) {
  if (options.off) {
    EnergyMeters none;
    none.lack = "not requested";
    none.real_time = false;
    return none;
  }
  check_averaging(options);
  if (options.asked() || !subject.own_meters)
    return open_real_meters(subject.device->info().description.value("uuid", ""), options);
  EnergyMeters opened;
  opened.real_time = false;
  try {
    opened.meters = subject.own_meters();
    if (opened.meters.empty()) opened.lack = "the simulated device has no meter";
  } catch (const Error& error) {
    opened.lack = error.what();
  }
  return opened;
}

double settle_time_s(const EnergyMeters& opened) {
  double settle_s = kSettleBefore_s;
  for (const auto& meter : opened.meters) {
    const MeterLag lag = lag_of(meter->facts());
    // The reading before the block is used, too, for the power at its begin.
    settle_s = std::max(settle_s, lag.averaging_s + lag.delay_s + meter->facts().tick_s);
  }
  return settle_s;
}

/// Returns the meters with the times of blocks that the options ask for.
EnergyMeters with_times(EnergyMeters opened, const EnergyMeterOptions& options) {
  const bool has_own = !opened.is_named && opened.real_time && !opened.meters.empty();
  if (options.own_blocks && has_own) opened.block_s = default_block_s(opened.meters.back()->facts());
  if (options.block_s) opened.block_s = *options.block_s;
  if (!options.with_blocks) opened.block_s = 0;
  opened.settle_s = settle_time_s(opened);
  opened.may_probe = options.may_probe;
  return opened;
}

}  // namespace

std::string EnergyMeterOptions::asked_source() const {
  if (!source.empty()) return source;
  const std::string& file = log.empty() ? exported_log : log;
  return file.empty() ? "" : "csv:" + file;
}

double default_block_s(const MeterFacts& facts) {
  // Blocks with fewer than kFewSamples readings are flagged. One reading is added, because the first and the
  // last reading are only partly within the block.
  constexpr double kReadings = kFewSamples + 1;
  return std::max(kReadings * facts.tick_s, kAveragingTimes * facts.averaging_s);
}

void EnergyMeters::poll() {
  if (!real_time || polled_) return;
  polled_ = true;
  for (auto& meter : meters) {
    if (auto* sum = dynamic_cast<MeterSum*>(meter.get()))
      sum->poll();
    else
      meter = make_polled_meter(std::move(meter), pause_s);
  }
}

void EnergyMeters::log(std::unique_ptr<Meter>& meter, const std::filesystem::path& path) {
  poll();
  auto log = std::make_shared<Log>(path.string());
  logs_.push_back(log);
  meter = make_logged_meter(std::move(meter), [log](const std::string& line, int64_t unix_ns) {
    log->file.write(line);
    log->last_unix_ns = unix_ns;
  });
}

void EnergyMeters::begin_logs(const std::filesystem::path& first, const std::filesystem::path& last) {
  log(meters.front(), first);
  log(meters.back(), last);
  await_first_readings();
}

void EnergyMeters::begin_log(const std::filesystem::path& path) {
  if (meters.empty() || is_logged()) return;
  log(meters.back(), path);
  await_first_readings();
}

void EnergyMeters::await_first_readings() {
  if (block_s > 0 && real_time && !log_past(0) && is_named)
    throw Error(fmt::format("{}: no reading came within {} s", meters.back()->facts().name, patience_s),
                "check that the meter is switched on, or that the program that logs it is running");
}

void EnergyMeters::update_sensor_rates() {
  for (const auto& meter : meters) {
    const MeterFacts& facts = meter->facts();
    if (facts.scope != Scope::gpu) continue;
    meter->take_sensor_rate(sensor_rate_of(facts, facts.device, facts.id));
  }
}

bool EnergyMeters::ask_the_gpu() const {
  return !real_time || std::any_of(meters.begin(), meters.end(), [](const auto& meter) {
    const MeterFacts& facts = meter->facts();
    return facts.scope == Scope::gpu && facts.source != "csv";
  });
}

void EnergyMeters::read() {
  for (const auto& meter : meters) meter->read();
}

bool EnergyMeters::log_past(int64_t unix_ns) {
  const double pause_s = 0.01;
  const auto is_past = [&](const auto& log) { return log->last_unix_ns > unix_ns; };
  for (double waited_s = 0; waited_s < patience_s; waited_s += pause_s) {
    read();
    if (std::ranges::all_of(logs_, is_past)) return true;
    std::this_thread::sleep_for(std::chrono::duration<double>(pause_s));
  }
  return false;
}

void EnergyMeters::read_past_now() {
  if (meters.empty() || !is_logged()) return;
  if (real_time)
    log_past(instant_now().unix_ns);
  else
    read();
}

void EnergyMeters::close() {
  meters.clear();  // before the logs, to which they write
  logs_.clear();
}

EnergyMeters open_energy_meters(const Subject& subject, const EnergyMeterOptions& options) {
  return with_times(open_meters(subject, options), options);
}

EnergyMeters open_gpu_meters(const std::string& uuid, const EnergyMeterOptions& options) {
  return with_times(open_real_meters(uuid, options), options);
}

EnergyMeters open_compared_meters(const Subject& subject, const std::string& sensor,
                                  const std::string& reference, std::optional<double> block_s) {
  const std::string uuid = subject.device->info().description.value("uuid", "");
  EnergyMeters opened = named(sensor, {}, uuid);
  EnergyMeters other = named(reference, {}, uuid);
  opened.meters.push_back(std::move(other.meters.front()));
  opened.patience_s = std::max(opened.patience_s, other.patience_s);
  opened.block_s = block_s.value_or(std::max(opened.block_s, other.block_s));
  opened.settle_s = settle_time_s(opened);
  return opened;
}

nlohmann::json facts_json(const MeterFacts& facts) {
  return {{"source", facts.source},
          {"name", facts.name},
          {"scope", scope_name(facts.scope)},
          {"quantity", facts.quantity == Quantity::power_w ? "power" : "energy counter"},
          {"tick_s", facts.tick_s},
          {"averaging_s", facts.averaging_s},
          {"duty", or_null(facts.duty)},
          {"resolution", facts.value_step},
          {"resolution_unit", unit_of(facts.quantity)},
          {"sensor_rate_hz", facts.sensor_hz() ? nlohmann::json(facts.sensor_hz()->value) : nlohmann::json()},
          {"sensor_rate_from", facts.sensor_rate ? facts.sensor_rate->from : ""},
          {"accuracy_percent", facts.accuracy ? nlohmann::json(100 * *facts.accuracy) : nlohmann::json()},
          {"accuracy_from", facts.accuracy_from},
          {"calibration", facts.calibration ? write_fields(*facts.calibration) : nlohmann::json()}};
}

}  // namespace kjoule
