// Stand-in for libnvidia-ml.so.1. Environment variables, read at each call, determine what it reports:
//
//   FAKE_NVML_GPUS=N         number of GPUs; 1 by default
//   FAKE_NVML_UUID=UUID      UUID of the first GPU
//   FAKE_NVML_UUID_N=UUID    UUID of the GPU with index N
//   FAKE_NVML_NAME=NAME      name of all boards; "Fake GPU" by default
//   FAKE_NVML_WATTS=W        power of the first GPU; 100 W by default; each further GPU has 10 W more
//   FAKE_NVML_LACKS=a,b      features that the board lacks: energy, samples, instant, average,
//                            programs, mig, limits, ecc
//   FAKE_NVML_START=E        nvmlInit fails with that error
//   FAKE_NVML_LOST=1         the GPU has fallen off the bus
//   FAKE_NVML_LOST_GPU=N     the GPU with index N fell off the bus before the first call
//   FAKE_NVML_LOSES_GPU=N    the GPU with index N falls off the bus before its power is first read
//   FAKE_NVML_SLOWED=BITS    throttle reasons; 0 by default
//   FAKE_NVML_PROGRAMS=N     number of processes with work on each GPU; 1 by default
//   FAKE_NVML_MIG=1          the boards are divided by MIG; 0 by default
//   FAKE_NVML_LIMIT=W        power limit; 700 W by default, which is also the default limit
//   FAKE_NVML_COUNTER=J      constant value of the energy counter in J
//   FAKE_CUDA_ENERGY=FOLDER  instead of a constant power, each GPU has the power of the work that the
//                            stand-in for the driver has run since the last change of the energy counter;
//                            100 W if it has run none for 2 s
//
// The PCI bus ID of the first GPU is 00000000:0B:00.0; each further GPU is on the next bus.
// The counter changes every 100 ms, and there is a power sample every 20 ms, as on real boards.

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <string>

#include "../driver/spent_energy.hpp"

namespace {

constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;
constexpr int kGpuIsLost = 15;
constexpr unsigned kKept = 119;
constexpr double kDefaultLimit_w = 700;
constexpr unsigned long long kSampleEvery_us = 20'000;
constexpr unsigned long long kTick_us = 100'000;

struct Sample {
  unsigned long long unix_us;
  unsigned long long value;
};
struct PciInfo {
  char short_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long unix_us;
  long long latency_us;
  unsigned type;
  int error;
  unsigned long long value;
};

double number(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtod(text, nullptr) : otherwise;
}

bool lacks(const char* what) {
  const char* text = std::getenv("FAKE_NVML_LACKS");
  return text != nullptr && std::strstr(text, what) != nullptr;
}

unsigned long long now_us() {
  std::timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<unsigned long long>(now.tv_sec) * 1'000'000 +
         static_cast<unsigned long long>(now.tv_nsec) / 1000;
}

std::array<int, 16> places;

unsigned place_of(void* device) {
  return static_cast<unsigned>(static_cast<int*>(device) - places.data());
}

bool lost(void* device) {
  return number("FAKE_NVML_LOST", 0) != 0 || number("FAKE_NVML_LOSES_GPU", -1) == place_of(device);
}

/// The energy counter of a GPU that consumes what the stand-in for the driver states.
class WorkCounter {
 public:
  explicit WorkCounter(unsigned place) : spent_(stand_in::map_spent_energy(static_cast<int>(place))) {}
  bool is_used() const { return spent_ != nullptr; }
  /// Returns the energy in J since the first call.
  double joules() {
    const std::lock_guard lock(mutex_);
    update();
    return joules_;
  }
  double watts() {
    const std::lock_guard lock(mutex_);
    update();
    return watts_;
  }

 private:
  void update() {
    const unsigned long long tick = now_us() / kTick_us;
    if (tick == tick_) return;
    const double ns = spent_->ns, nanojoules = spent_->nanojoules;
    constexpr unsigned long long kIdleTicks = 20;
    // A device whose process the host does not run for some time is not idle: its virtual time stands still.
    if (ns > ns_) worked_ = tick;
    if (ns > ns_)
      watts_ = (nanojoules - nanojoules_) / (ns - ns_);
    else if (tick - worked_ > kIdleTicks)
      watts_ = 100;
    if (tick_ > 0) joules_ += static_cast<double>((tick - tick_) * kTick_us) * 1e-6 * watts_;
    tick_ = tick;
    ns_ = ns;
    nanojoules_ = nanojoules;
  }

  stand_in::SpentEnergy* spent_;
  std::mutex mutex_;
  unsigned long long tick_ = 0;    ///< number of the last change of the counter
  unsigned long long worked_ = 0;  ///< number of the last change before which the device worked
  double joules_ = 0, watts_ = 100, ns_ = 0, nanojoules_ = 0;
};

/// Returns the counter of a GPU; null if its power is constant.
WorkCounter* work_counter(void* device) {
  static std::mutex mutex;
  static std::map<unsigned, WorkCounter> counters;
  const std::lock_guard lock(mutex);
  WorkCounter& counter = counters.try_emplace(place_of(device), place_of(device)).first->second;
  return counter.is_used() ? &counter : nullptr;
}

double mean_watts(void* device) {
  if (WorkCounter* counter = work_counter(device)) return counter->watts();
  return number("FAKE_NVML_WATTS", 100) + 10.0 * place_of(device);
}

/// Returns a power: values are alternately above and below the mean by the ripple.
double watts(void* device) {
  static std::atomic<unsigned> value = 0;  // any thread may call, as in NVML
  const bool above = value++ % 2 == 0;
  const double ripple = number("FAKE_NVML_RIPPLE", 0);
  return mean_watts(device) + (above ? ripple : -ripple);
}

int tell(const std::string& text, char* to, unsigned size) {
  std::snprintf(to, size, "%s", text.c_str());
  return 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return static_cast<int>(number("FAKE_NVML_START", 0));
}
int nvmlShutdown() {
  return 0;
}
const char* nvmlErrorString(int error) {
  return error == kGpuIsLost ? "GPU is lost" : "an error";
}
int nvmlSystemGetDriverVersion(char* to, unsigned size) {
  return tell("999.1", to, size);
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(number("FAKE_NVML_GPUS", 1));
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= places.size()) return kInvalidArgument;
  if (number("FAKE_NVML_LOST_GPU", -1) == index) return kGpuIsLost;
  *device = &places[index];
  return 0;
}
int nvmlDeviceGetUUID(void* device, char* to, unsigned size) {
  const char* first = std::getenv("FAKE_NVML_UUID");
  if (first != nullptr && place_of(device) == 0) return tell(first, to, size);
  const std::string number = std::to_string(place_of(device));
  const char* own = std::getenv(("FAKE_NVML_UUID_" + number).c_str());
  return tell(own != nullptr ? own : "GPU-fake-" + number, to, size);
}
int nvmlDeviceGetName(void*, char* to, unsigned size) {
  const char* name = std::getenv("FAKE_NVML_NAME");
  return tell(name != nullptr ? name : "Fake GPU", to, size);
}
int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* info) {
  constexpr unsigned kFirstBus = 0x0B;
  *info = {};
  info->bus = kFirstBus + place_of(device);
  std::snprintf(info->bus_id, sizeof info->bus_id, "00000000:%02X:00.0", info->bus);
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  if (lost(device)) return kGpuIsLost;
  if (lacks("energy")) return kNotSupported;
  const double fixed = number("FAKE_NVML_COUNTER", -1);
  const double ticked_s = static_cast<double>(now_us() / kTick_us * kTick_us % 1'000'000'000'000) * 1e-6;
  if (WorkCounter* counter = work_counter(device)) {
    *millijoules = static_cast<unsigned long long>(1000 * counter->joules());
    return 0;
  }
  *millijoules = static_cast<unsigned long long>((fixed >= 0 ? fixed : ticked_s * mean_watts(device)) * 1000);
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void*) {
  if (lacks("programs")) return kNotSupported;
  const auto running = static_cast<unsigned>(number("FAKE_NVML_PROGRAMS", 1));
  const bool room = *count >= running;
  *count = running;
  return room ? 0 : kInsufficientSize;
}
int nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
  if (lacks("mig")) return kNotSupported;
  *current = *pending = static_cast<unsigned>(number("FAKE_NVML_MIG", 0));
  return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  if (lacks("limits")) return kNotSupported;
  *milliwatts = static_cast<unsigned>(1000 * number("FAKE_NVML_LIMIT", kDefaultLimit_w));
  return 0;
}
int nvmlDeviceGetPowerManagementDefaultLimit(void*, unsigned* milliwatts) {
  if (lacks("limits")) return kNotSupported;
  *milliwatts = static_cast<unsigned>(1000 * kDefaultLimit_w);
  return 0;
}
int nvmlDeviceGetEccMode(void*, unsigned* current, unsigned* pending) {
  if (lacks("ecc")) return kNotSupported;
  *current = *pending = 1;
  return 0;
}
int nvmlDeviceGetMaxClockInfo(void*, int which, unsigned* mhz) {
  *mhz = which == 1 ? 1980 : 3201;
  return 0;
}
int nvmlDeviceGetSamples(void* device, int, unsigned long long after_us, unsigned* type, unsigned* count,
                         Sample* samples) {
  if (lost(device)) return kGpuIsLost;
  if (lacks("samples")) return kNotSupported;
  *type = 1;  // unsigned int
  if (samples == nullptr) {
    *count = kKept;
    return 0;
  }
  const unsigned long long newest = now_us() / kSampleEvery_us * kSampleEvery_us;
  unsigned given = 0;
  for (unsigned back = kKept; back-- > 0;) {
    const unsigned long long at = newest - back * kSampleEvery_us;
    if (at <= after_us || given == *count) continue;
    samples[given++] = {at, static_cast<unsigned>(watts(device) * 1000)};
  }
  *count = given;
  return given == 0 ? kNotFound : 0;
}
int nvmlDeviceGetFieldValues(void* device, int count, FieldValue* values) {
  if (lost(device)) return kGpuIsLost;
  for (int v = 0; v < count; ++v) {
    const bool known = values[v].field == 186 && !lacks("instant");
    values[v].error = known ? 0 : kNotSupported;
    values[v].type = 1;
    values[v].value = static_cast<unsigned>(watts(device) * 1000);
  }
  return 0;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  if (lost(device)) return kGpuIsLost;
  if (lacks("average")) return kNotSupported;
  *milliwatts = static_cast<unsigned>(watts(device) * 1000);
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int which, unsigned* mhz) {
  *mhz = which == 1 ? 345 : 2619;
  return 0;
}
int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  *reasons = static_cast<unsigned long long>(number("FAKE_NVML_SLOWED", 0));
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 31;
  return 0;
}

}  // extern "C"
