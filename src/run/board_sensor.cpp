#include "run/board_sensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/process/process.hpp"
#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "power/meters/power_source.hpp"

namespace kjoule {

namespace {

/// Sizes of the square matrices whose products are the load of a GPU. Products of small matrices are short
/// enough on slow boards; those of larger matrices consume more power.
constexpr int64_t kLoadSizes[] = {64, 128, 256, 512, 1024, 2048};

constexpr double kLongestProbe_s = 180;

/// Returns whether the file of sampling rates has an entry for this board: of a rate, or of a failed probe.
bool is_listed(const std::string& id) {
  return std::ranges::any_of(read_sensor_rates(sensor_rates_path()),
                             [&](const SensorRate& rate) { return rate.id == id; });
}

/// Returns the first meter if it reads the sensor of a GPU that was never probed; otherwise null.
const Meter* unknown_sensor(const EnergyMeters& opened) {
  if (opened.meters.empty()) return nullptr;
  const MeterFacts& facts = opened.meters.front()->facts();
  const bool has_sensor = facts.scope == Scope::gpu && facts.source.starts_with("nvml") && !facts.id.empty();
  if (!has_sensor || facts.sensor_rate) return nullptr;
  return is_listed(facts.id) ? nullptr : opened.meters.front().get();  // its probe failed
}

void warn(const std::string& why) {
  print_warning("the power sensor's sampling rate is not known: {}", why);
}

/// Returns why a probe failed: the last line of its output, without "kjoule: ".
std::string failure_of(const ProgramOutput& probed) {
  if (probed.was_killed()) return fmt::format("the probe took longer than {:.0f} s", kLongestProbe_s);
  std::string output = probed.text;
  while (output.ends_with('\n')) output.pop_back();
  const std::string line = output.substr(output.rfind('\n') + 1);
  constexpr std::string_view kBefore = "kjoule: ";
  return line.starts_with(kBefore) ? line.substr(kBefore.size()) : line;
}

}  // namespace

void note_failed_probe(const std::filesystem::path& path, const Subject& load, const Error& failure) {
  const nlohmann::json& board = load.device->info().description;
  const std::string id = board.value("uuid", "");
  if (is_listed(id)) return;  // an earlier probe may have found the rate
  store_sensor_rate(path, {board.value("name", ""), id, "kjoule power probe", {}, failure.what()});
}

Subject open_probe_load(const std::string& device) {
  SubjectOptions options;
  options.device = device;
  if (device.starts_with("simulated")) return open_subject(options);
  if (device != "cuda")
    throw UsageError("--device " + device + ": its power sensor cannot be probed",
                     "use cuda or simulated:SPEC");
  std::vector<ReplayCall> products;
  for (const int64_t size : kLoadSizes)
    products.push_back(MatrixProduct{
        .m = size, .n = size, .k = size, .type = "float16", .kernel = {}, .grid = {}, .block = {}});
  return open_products(options, products, "kjoule power probe");
}

EnergyMeters open_probed_meters(const Subject& load, const EnergyMeterOptions& options) {
  EnergyMeters meters = open_energy_meters(load, options);
  if (meters.meters.empty()) throw Error(meters.lack, "kjoule power devices shows why");
  if (meters.meters.front()->facts().scope != Scope::gpu)
    throw UsageError(fmt::format("{} does not measure a GPU", meters.meters.front()->facts().source),
                     "omit --source, or choose nvml or nvml-counter");
  return meters;
}

ProbedBoard probe_board(Subject& load, EnergyMeters meters, const std::filesystem::path& path,
                        Progress& progress) {
  const auto launches = static_cast<LaunchIndex>(load.device->record().launches.size());
  meters.poll();
  ProbedBoard board;
  board.probe = probe_sensor(*load.device, launches, meters.meters, progress);
  board.meter = meters.meters.at(board.probe.meter)->facts();
  board.rate = {board.meter.device, board.meter.id,
                "measured by kjoule power probe, " + load.clock->local_time(load.clock->now_ns()),
                board.probe.sensor_hz};
  store_sensor_rate(path, board.rate);
  return board;
}

void probe_unknown_board(EnergyMeters& opened) {
  try {
    const Meter* meter = unknown_sensor(opened);
    if (meter == nullptr) return;
    prepare_sensor_rates(sensor_rates_path());
    print_error("probing the GPU's power sensor, once for this board (this takes about 30 s)\n");
    const ProgramOutput probed = read_program({"env", "CUDA_VISIBLE_DEVICES=" + meter->facts().id,
                                               executable_folder() + "/kjoule", "power", "probe"},
                                              kLongestProbe_s);
    if (probed.exit_code != 0) warn(failure_of(probed));
    opened.update_sensor_rates();
  } catch (const Error& error) {
    warn(error.line());
  }
}

}  // namespace kjoule
