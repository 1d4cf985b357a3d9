#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process/library.hpp"
#include "power/meters/meter.hpp"

namespace kjoule {

/// One GPU as NVML identifies it.
struct NvmlDevice {
  void* handle = nullptr;
  unsigned index = 0;
  std::string uuid{};
  std::string name{};
  std::string bus_id{};  ///< PCI bus ID, such as "00000000:0B:00.0"; empty if NVML does not report it
};

/// One sample of NVML's buffer of power samples.
struct NvmlSample {
  int64_t unix_ns = 0;
  double watts = 0;
};

/// NVIDIA's management library, loaded at run time: libnvidia-ml.so.1, or the file that the environment
/// variable KJOULE_NVML names. Functions return no value for a quantity that the board does not report, and
/// throw Error for every other failure.
class Nvml {
 public:
  /// Loads and initialises the library. Throws Error if it does not exist or cannot be initialised.
  static std::shared_ptr<Nvml> open();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string driver_version() const;
  /// Returns the GPUs, at least one. GPUs that this user may not access, and GPUs that are lost, are left
  /// out. Throws Error if there is none.
  std::vector<NvmlDevice> devices() const;
  /// Returns a GPU by UUID or index. Throws Error if there is no such GPU.
  NvmlDevice device(const std::string& uuid_or_index) const;

  /// Returns the board's energy counter in J.
  std::optional<double> energy_j(const NvmlDevice& device) const;
  /// Returns the samples after the time `after_unix_ns`, sorted by time; an empty list if there are none, no
  /// value if the board has no buffer of samples.
  std::optional<std::vector<NvmlSample>> power_samples(const NvmlDevice& device, int64_t after_unix_ns) const;
  /// Returns the present power in W, which is not averaged (NVML_FI_DEV_POWER_INSTANT).
  std::optional<double> instant_w(const NvmlDevice& device) const;
  /// Returns the board's average power in W, over one second on most boards.
  std::optional<double> average_w(const NvmlDevice& device) const;
  /// Returns clocks, temperature, load and throttle reasons; values that are not available are absent.
  DeviceState state(const NvmlDevice& device) const;
  /// Returns the number of processes with a compute context on the GPU; no value if NVML does not report it.
  std::optional<unsigned> process_count(const NvmlDevice& device) const;
  /// Returns whether the GPU is divided into parts (MIG).
  std::optional<bool> is_divided(const NvmlDevice& device) const;
  /// Returns the enforced power limit in W, the lowest of all limits that apply.
  std::optional<double> power_limit_w(const NvmlDevice& device) const;
  /// Returns the power limit in W that the board has by default.
  std::optional<double> default_power_limit_w(const NvmlDevice& device) const;
  /// Returns whether the GPU's memory corrects errors (ECC).
  std::optional<bool> has_ecc(const NvmlDevice& device) const;
  /// Returns the highest clocks in MHz that the board can have.
  std::optional<unsigned> highest_sm_clock_mhz(const NvmlDevice& device) const;
  std::optional<unsigned> highest_memory_clock_mhz(const NvmlDevice& device) const;

 private:
  struct Functions;
  Nvml(Library library, std::unique_ptr<Functions> functions);
  /// Returns whether a call of NVML succeeded, or false if the board does not support it. Throws Error for
  /// other failures.
  bool is_supported(int error, const char* call) const;
  std::optional<unsigned> highest_clock_mhz(const NvmlDevice& device, int which) const;
  /// Returns the GPU with this index; nothing if this user may not access it or if it is lost.
  std::optional<NvmlDevice> device_at(unsigned index, bool& is_lost) const;
  /// Returns the same GPUs as devices().
  std::vector<NvmlDevice> accessible_devices(bool& is_any_lost) const;

  Library library_;
  std::unique_ptr<Functions> functions_;
};

}  // namespace kjoule
