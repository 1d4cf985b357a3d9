#include "power/meters/nvml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace kjoule {

namespace {

// The parts of NVML's interface that are used here. They are stable across drivers.
union Value {
  double real;
  unsigned unsigned_32;
  unsigned long long unsigned_64;
  long long signed_64;
  int signed_32;
  unsigned short unsigned_16;
};
enum ValueType : unsigned { kDouble, kUnsigned, kUnsignedLong, kUnsignedLongLong, kSignedLongLong, kSigned };
struct Sample {
  unsigned long long unix_us;
  Value value;
};
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long unix_us;
  long long latency_us;
  unsigned type;
  int error;
  Value value;
};
struct Utilization {
  unsigned gpu_percent;
  unsigned memory_percent;
};
struct PciInfo {
  char short_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(Sample) == 16 && sizeof(FieldValue) == 40 && sizeof(PciInfo) == 68);

constexpr int kSuccess = 0;
constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
constexpr int kNoPermission = 4;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;
constexpr int kDriverNotLoaded = 9;
constexpr int kGpuIsLost = 15;
constexpr int kTotalPowerSamples = 0;
constexpr unsigned kPowerInstant = 186;
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kTemperatureGpu = 0;
/// Bits of the throttle reasons. Idling and clocks that the user set are not included.
constexpr std::pair<unsigned long long, const char*> kThrottleReasons[] = {
    {0x04, "power limit"}, {0x08, "hardware slowdown"}, {0x60, "temperature"}, {0x80, "power brake"}};
constexpr const char* kInstallDriver =
    "if this machine has an NVIDIA GPU, install NVIDIA's driver; otherwise choose a meter that kjoule power "
    "devices lists";

double number(const Value& value, unsigned type) {
  switch (type) {
    case kDouble:
      return value.real;
    case kUnsigned:
      return value.unsigned_32;
    case kSigned:
      return value.signed_32;
    case kSignedLongLong:
      return static_cast<double>(value.signed_64);
    default:
      return static_cast<double>(value.unsigned_64);
  }
}

std::string library_name() {
  const char* named = std::getenv("KJOULE_NVML");
  return named != nullptr && *named != '\0' ? named : "libnvidia-ml.so.1";
}

}  // namespace

struct Nvml::Functions {
  int (*start)();
  int (*stop)();
  const char* (*error_text)(int);
  int (*driver_version)(char*, unsigned);
  int (*count)(unsigned*);
  int (*by_index)(unsigned, void**);
  int (*uuid)(void*, char*, unsigned);
  int (*name)(void*, char*, unsigned);
  // Functions that older drivers lack; these pointers may be null.
  int (*pci)(void*, PciInfo*);
  int (*energy)(void*, unsigned long long*);
  int (*samples)(void*, int, unsigned long long, unsigned*, unsigned*, Sample*);
  int (*fields)(void*, int, FieldValue*);
  int (*power)(void*, unsigned*);
  int (*clock)(void*, int, unsigned*);
  int (*temperature)(void*, int, unsigned*);
  int (*utilization)(void*, Utilization*);
  int (*throttle_reasons)(void*, unsigned long long*);
  int (*process_count)(void*, unsigned*, void*);
  int (*mig_mode)(void*, unsigned*, unsigned*);
  int (*power_limit)(void*, unsigned*);
  int (*default_power_limit)(void*, unsigned*);
  int (*ecc_mode)(void*, unsigned*, unsigned*);
  int (*highest_clock)(void*, int, unsigned*);

  explicit Functions(const Library& nvml)
      : start(nvml.symbol<int()>("nvmlInit_v2")),
        stop(nvml.symbol<int()>("nvmlShutdown")),
        error_text(nvml.symbol<const char*(int)>("nvmlErrorString")),
        driver_version(nvml.symbol<int(char*, unsigned)>("nvmlSystemGetDriverVersion")),
        count(nvml.symbol<int(unsigned*)>("nvmlDeviceGetCount_v2")),
        by_index(nvml.symbol<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")),
        uuid(nvml.symbol<int(void*, char*, unsigned)>("nvmlDeviceGetUUID")),
        name(nvml.symbol<int(void*, char*, unsigned)>("nvmlDeviceGetName")),
        pci(nvml.symbol<int(void*, PciInfo*)>("nvmlDeviceGetPciInfo_v3")),
        energy(nvml.symbol<int(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption")),
        samples(nvml.symbol<int(void*, int, unsigned long long, unsigned*, unsigned*, Sample*)>(
            "nvmlDeviceGetSamples")),
        fields(nvml.symbol<int(void*, int, FieldValue*)>("nvmlDeviceGetFieldValues")),
        power(nvml.symbol<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage")),
        clock(nvml.symbol<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo")),
        temperature(nvml.symbol<int(void*, int, unsigned*)>("nvmlDeviceGetTemperature")),
        utilization(nvml.symbol<int(void*, Utilization*)>("nvmlDeviceGetUtilizationRates")),
        throttle_reasons(
            nvml.symbol<int(void*, unsigned long long*)>("nvmlDeviceGetCurrentClocksEventReasons")),
        process_count(nvml.symbol<int(void*, unsigned*, void*)>("nvmlDeviceGetComputeRunningProcesses_v3")),
        mig_mode(nvml.symbol<int(void*, unsigned*, unsigned*)>("nvmlDeviceGetMigMode")),
        power_limit(nvml.symbol<int(void*, unsigned*)>("nvmlDeviceGetEnforcedPowerLimit")),
        default_power_limit(nvml.symbol<int(void*, unsigned*)>("nvmlDeviceGetPowerManagementDefaultLimit")),
        ecc_mode(nvml.symbol<int(void*, unsigned*, unsigned*)>("nvmlDeviceGetEccMode")),
        highest_clock(nvml.symbol<int(void*, int, unsigned*)>("nvmlDeviceGetMaxClockInfo")) {
    // This is the function's name before driver 535.
    if (throttle_reasons == nullptr)
      throttle_reasons =
          nvml.symbol<int(void*, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
  }

  bool complete() const {
    return start != nullptr && stop != nullptr && error_text != nullptr && driver_version != nullptr &&
           count != nullptr && by_index != nullptr && uuid != nullptr && name != nullptr;
  }
};

std::shared_ptr<Nvml> Nvml::open() {
  const std::string name = library_name();
  auto library = Library::open({name});
  if (!library)
    throw Error("NVIDIA's library for meters, NVML (" + name + "), was not found", kInstallDriver);
  auto functions = std::make_unique<Functions>(*library);
  if (!functions->complete())
    throw Error("NVIDIA's library for meters, NVML (" + name + "), lacks functions that kjoule needs",
                "update NVIDIA's driver");
  const int error = functions->start();
  if (error == kDriverNotLoaded)
    throw Error("NVIDIA's driver is not loaded", "check the output of nvidia-smi");
  if (error != kSuccess)
    throw Error(fmt::format("NVML cannot be initialised: {}", functions->error_text(error)),
                "check the output of nvidia-smi");
  return std::shared_ptr<Nvml>(new Nvml(std::move(*library), std::move(functions)));
}

Nvml::Nvml(Library library, std::unique_ptr<Functions> functions)
    : library_(std::move(library)), functions_(std::move(functions)) {}

Nvml::~Nvml() {
  functions_->stop();
}

bool Nvml::is_supported(int error, const char* call) const {
  if (error == kSuccess) return true;
  if (error == kNotSupported || error == kInvalidArgument) return false;
  const std::string why = functions_->error_text(error);
  if (error == kGpuIsLost) throw Error("the GPU is lost: " + why, "restart the machine");
  if (error == kNoPermission) throw Error(fmt::format("{} of NVML: {}", call, why), "run kjoule as root");
  throw Error(fmt::format("{} of NVML failed: {}", call, why), "check the output of nvidia-smi");
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  const int error = functions_->driver_version(text.data(), static_cast<unsigned>(text.size()) - 1);
  return error == kSuccess ? text.data() : "of unknown version";
}

std::optional<NvmlDevice> Nvml::device_at(unsigned index, bool& is_lost) const {
  NvmlDevice device{.index = index};
  std::array<char, 96> text{};
  const auto size = static_cast<unsigned>(text.size()) - 1;
  const auto answers = [&](int error, const char* call) {
    is_lost = is_lost || error == kGpuIsLost;
    return error != kGpuIsLost && is_supported(error, call);
  };
  const int error = functions_->by_index(index, &device.handle);
  if (error == kNoPermission) return {};
  answers(error, "nvmlDeviceGetHandleByIndex");
  if (!is_lost && answers(functions_->uuid(device.handle, text.data(), size), "nvmlDeviceGetUUID"))
    device.uuid = text.data();
  if (!is_lost && answers(functions_->name(device.handle, text.data(), size), "nvmlDeviceGetName"))
    device.name = text.data();
  if (is_lost) return {};
  PciInfo pci{};
  if (functions_->pci != nullptr && functions_->pci(device.handle, &pci) == kSuccess)
    device.bus_id = pci.bus_id;
  return device;
}

std::vector<NvmlDevice> Nvml::accessible_devices(bool& is_any_lost) const {
  unsigned count = 0;
  is_supported(functions_->count(&count), "nvmlDeviceGetCount");
  std::vector<NvmlDevice> all;
  for (unsigned index = 0; index < count; ++index) {
    bool is_lost = false;
    if (auto device = device_at(index, is_lost)) all.push_back(*std::move(device));
    is_any_lost = is_any_lost || is_lost;
  }
  if (all.empty() && is_any_lost) is_supported(kGpuIsLost, "nvmlDeviceGetHandleByIndex");
  if (all.empty())
    throw Error("NVML finds no GPU", "check that a GPU is assigned to this machine or container");
  return all;
}

std::vector<NvmlDevice> Nvml::devices() const {
  bool is_any_lost = false;
  return accessible_devices(is_any_lost);
}

NvmlDevice Nvml::device(const std::string& uuid_or_index) const {
  bool is_any_lost = false;
  const std::vector<NvmlDevice> all = accessible_devices(is_any_lost);
  const auto it = std::find_if(all.begin(), all.end(), [&](const NvmlDevice& device) {
    return device.uuid == uuid_or_index || std::to_string(device.index) == uuid_or_index;
  });
  if (it != all.end()) return *it;
  if (is_any_lost) is_supported(kGpuIsLost, "nvmlDeviceGetHandleByIndex");
  throw Error("this machine has no GPU " + uuid_or_index, "choose a GPU that kjoule power devices lists");
}

std::optional<double> Nvml::energy_j(const NvmlDevice& device) const {
  unsigned long long millijoules = 0;
  if (functions_->energy == nullptr ||
      !is_supported(functions_->energy(device.handle, &millijoules), "nvmlDeviceGetTotalEnergyConsumption"))
    return {};
  return static_cast<double>(millijoules) * 1e-3;
}

std::optional<std::vector<NvmlSample>> Nvml::power_samples(const NvmlDevice& device,
                                                           int64_t after_unix_ns) const {
  if (functions_->samples == nullptr) return {};
  const auto after_us = static_cast<unsigned long long>(after_unix_ns / 1000);
  const auto ask = [&](unsigned* type, unsigned* count, Sample* samples) {
    const int error = functions_->samples(device.handle, kTotalPowerSamples, after_us, type, count, samples);
    if (error == kNotFound) *count = 0;  // no samples since then
    return error == kNotFound || is_supported(error, "nvmlDeviceGetSamples");
  };
  unsigned type = 0;
  unsigned count = 0;
  if (!ask(&type, &count, nullptr)) return {};
  std::vector<Sample> raw(count);
  if (count > 0 && !ask(&type, &count, raw.data())) return {};
  raw.resize(std::min<size_t>(count, raw.size()));
  std::vector<NvmlSample> samples;
  for (const Sample& sample : raw)
    if (sample.unix_us > after_us)  // also skips entries of the buffer that were never filled
      samples.push_back({static_cast<int64_t>(sample.unix_us) * 1000, number(sample.value, type) * 1e-3});
  std::sort(samples.begin(), samples.end(),
            [](const NvmlSample& a, const NvmlSample& b) { return a.unix_ns < b.unix_ns; });
  return samples;
}

std::optional<double> Nvml::instant_w(const NvmlDevice& device) const {
  FieldValue field{};
  field.field = kPowerInstant;
  if (functions_->fields == nullptr ||
      !is_supported(functions_->fields(device.handle, 1, &field), "nvmlDeviceGetFieldValues") ||
      !is_supported(field.error, "NVML_FI_DEV_POWER_INSTANT"))
    return {};
  return number(field.value, field.type) * 1e-3;
}

std::optional<double> Nvml::average_w(const NvmlDevice& device) const {
  unsigned milliwatts = 0;
  if (functions_->power == nullptr ||
      !is_supported(functions_->power(device.handle, &milliwatts), "nvmlDeviceGetPowerUsage"))
    return {};
  return milliwatts * 1e-3;
}

// Errors are ignored here, because power can be read without the state.
DeviceState Nvml::state(const NvmlDevice& device) const {
  DeviceState state;
  unsigned value = 0;
  if (functions_->clock != nullptr && functions_->clock(device.handle, kClockSm, &value) == kSuccess)
    state.sm_clock_mhz = value;
  if (functions_->clock != nullptr && functions_->clock(device.handle, kClockMemory, &value) == kSuccess)
    state.memory_clock_mhz = value;
  if (functions_->temperature != nullptr &&
      functions_->temperature(device.handle, kTemperatureGpu, &value) == kSuccess)
    state.temperature_c = value;
  Utilization use{};
  if (functions_->utilization != nullptr && functions_->utilization(device.handle, &use) == kSuccess)
    state.busy_percent = use.gpu_percent;
  unsigned long long reasons = 0;
  if (functions_->throttle_reasons != nullptr &&
      functions_->throttle_reasons(device.handle, &reasons) == kSuccess) {
    state.throttle_reasons.emplace();
    for (const auto& [bits, what] : kThrottleReasons)
      if ((reasons & bits) != 0) state.throttle_reasons->push_back(what);
  }
  return state;
}

std::optional<unsigned> Nvml::process_count(const NvmlDevice& device) const {
  if (functions_->process_count == nullptr) return {};
  unsigned count = 0;  // with a count of 0, NVML only returns the number of processes
  const int error = functions_->process_count(device.handle, &count, nullptr);
  return error == kSuccess || error == kInsufficientSize ? std::optional(count) : std::nullopt;
}

std::optional<bool> Nvml::is_divided(const NvmlDevice& device) const {
  unsigned current = 0, pending = 0;
  if (functions_->mig_mode == nullptr || functions_->mig_mode(device.handle, &current, &pending) != kSuccess)
    return {};
  return current != 0;
}

namespace {

std::optional<double> limit_w(int (*ask)(void*, unsigned*), const NvmlDevice& device) {
  unsigned milliwatts = 0;
  if (ask == nullptr || ask(device.handle, &milliwatts) != kSuccess) return {};
  return milliwatts * 1e-3;
}

}  // namespace

std::optional<double> Nvml::power_limit_w(const NvmlDevice& device) const {
  return limit_w(functions_->power_limit, device);
}

std::optional<double> Nvml::default_power_limit_w(const NvmlDevice& device) const {
  return limit_w(functions_->default_power_limit, device);
}

std::optional<bool> Nvml::has_ecc(const NvmlDevice& device) const {
  unsigned current = 0, pending = 0;
  if (functions_->ecc_mode == nullptr || functions_->ecc_mode(device.handle, &current, &pending) != kSuccess)
    return {};
  return current != 0;
}

std::optional<unsigned> Nvml::highest_clock_mhz(const NvmlDevice& device, int which) const {
  unsigned mhz = 0;
  if (functions_->highest_clock == nullptr ||
      functions_->highest_clock(device.handle, which, &mhz) != kSuccess)
    return {};
  return mhz;
}

std::optional<unsigned> Nvml::highest_sm_clock_mhz(const NvmlDevice& device) const {
  return highest_clock_mhz(device, kClockSm);
}

std::optional<unsigned> Nvml::highest_memory_clock_mhz(const NvmlDevice& device) const {
  return highest_clock_mhz(device, kClockMemory);
}

}  // namespace kjoule
