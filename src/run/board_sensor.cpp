#include "run/board_sensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/parse_number.hpp"
#include "base/terminal.hpp"
#include "base/write_error.hpp"
#include "power/meters/power_source.hpp"

namespace kjoule {

namespace {

constexpr const char* kCounter = "nvml-counter";

/// Sizes of the matrices whose products are the load of a GPU: small ones, so that some are short enough on
/// slow boards, and larger ones, which draw more power.
constexpr int64_t kLoadSizes[] = {64, 128, 256, 512, 1024, 2048};

/// Returns whether energy is measured with a sensor of the first visible GPU, as far as that can be known
/// before the subject is opened.
bool needs_rate(const SubjectOptions& subject, const EnergyMeterOptions& options) {
  if (options.off || subject.attach.is_given()) return false;
  if (options.asked() && !options.source.starts_with("nvml")) return false;
  if (subject.injection.gpu.value_or(0) != 0 || subject.device.starts_with("simulated")) return false;
  if (!subject.program.empty()) return true;
  if (!subject.model.empty() && !std::filesystem::exists(subject.model)) return false;
  return subject.device == "cuda" || (subject.device == "auto" && device_for_runner(subject) == "cuda");
}

bool knows(const std::vector<SensorRate>& rates, const std::string& id) {
  return std::ranges::any_of(rates, [&](const SensorRate& rate) { return rate.id == id; });
}

/// Returns whether the GPU that CUDA_VISIBLE_DEVICES names first was never probed, if NVML and CUDA number
/// the GPUs alike.
bool is_first_unknown(const std::vector<SensorRate>& rates) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string gpus = visible == nullptr ? "0" : visible;
  const std::string first = gpus.substr(0, gpus.find(','));
  if (first.starts_with("GPU-") && knows(rates, first)) return false;
  try {
    const auto found = power_source(kCounter, {})->find();
    const double number = parse_number(first).value_or(-1);
    if (number < 0 || number >= static_cast<double>(found.size())) return true;
    return !knows(rates, found[static_cast<size_t>(number)].id);
  } catch (const Error&) {
    return false;  // without a counter no rate is needed
  }
}

void warn(const Error& error) {
  print_error("warning: the power sensor's sampling rate is not known: {}\n", error.line());
}

std::optional<Subject> open_load_if_possible() {
  try {
    return open_probe_load("cuda");
  } catch (const Error&) {
    return {};
  }
}

/// Stores that a probe failed, so that it is not repeated unasked.
void store_failure(const std::filesystem::path& path, const Subject& load, const Error& failure) {
  const nlohmann::json& board = load.device->info().description;
  try {
    store_sensor_rate(
        path, {board.value("name", ""), board.value("uuid", ""), "kjoule power probe", {}, failure.what()});
  } catch (const Error& error) {
    warn(error);
  }
}

}  // namespace

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

ProbedBoard probe_board(Subject& load, const EnergyMeterOptions& options, const std::filesystem::path& path,
                        Progress& progress) {
  EnergyMeters meters = open_energy_meters(load, options);
  if (meters.meters.empty()) throw Error(meters.lack, "kjoule power devices shows why");
  if (meters.meters.front()->facts().scope != Scope::gpu)
    throw UsageError(fmt::format("{} does not measure a GPU", meters.meters.front()->facts().source),
                     "omit --source, or choose nvml or nvml-counter");
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

void probe_unknown_board(const SubjectOptions& subject, const EnergyMeterOptions& options) {
  if (!needs_rate(subject, options)) return;
  const std::filesystem::path path = sensor_rates_path();
  const std::vector<SensorRate> rates = read_sensor_rates(path);
  if (!is_first_unknown(rates)) return;
  try {
    prepare_sensor_rates(path);
  } catch (const Error& error) {
    warn(error);
    return;
  }
  auto load = open_load_if_possible();
  if (!load || knows(rates, load->device->info().description.value("uuid", ""))) return;
  print_error("probing the GPU's power sensor, once for this board (half a minute)\n");
  try {
    probe_board(*load, {}, path, *make_progress());
  } catch (const WriteError& error) {
    warn(error);
  } catch (const BusyDeviceError& error) {
    warn(error);  // another time it may be idle
  } catch (const Error& error) {
    warn(error);
    store_failure(path, *load, error);
  }
}

}  // namespace kjoule
