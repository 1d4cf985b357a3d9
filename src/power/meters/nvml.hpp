#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/library.hpp"
#include "power/meters/meter.hpp"

namespace kjoule {

/// One GPU as NVML names it.
struct NvmlDevice {
  void* handle = nullptr;
  unsigned index = 0;
  std::string uuid{};
  std::string name{};
};

/// How often a second boards of that name look at their power, where that was found out (tests/gpu/fold).
std::optional<double> looks_hz_of(const std::string& board);

/// A sample of NVML's own buffer.
struct NvmlSample {
  int64_t unix_ns = 0;
  double watts = 0;
};

/// NVIDIA's management library, loaded at run time: libnvidia-ml.so.1, or the file that KJOULE_NVML names.
/// A question that the board does not answer has no value; every other failure throws Error.
class Nvml {
 public:
  /// Throws Error when it is not there or does not start.
  static std::shared_ptr<Nvml> open();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string driver_version() const;
  /// At least one; throws Error when there is none.
  std::vector<NvmlDevice> devices() const;
  /// By UUID or index; throws Error when there is no such GPU.
  NvmlDevice device(const std::string& uuid_or_index) const;

  std::optional<double> energy_j(const NvmlDevice& device) const;
  /// The samples after that time, by time; empty when there are none; nothing when the board keeps none.
  std::optional<std::vector<NvmlSample>> power_samples(const NvmlDevice& device, int64_t after_unix_ns) const;
  /// Power now, of the field that is not averaged.
  std::optional<double> instant_w(const NvmlDevice& device) const;
  /// Power averaged by the board, over a second on most.
  std::optional<double> average_w(const NvmlDevice& device) const;
  DeviceState state(const NvmlDevice& device) const;
  /// How many processes have a context for computing there.
  std::optional<unsigned> programs(const NvmlDevice& device) const;
  /// Whether it is divided into parts (MIG).
  std::optional<bool> is_divided(const NvmlDevice& device) const;
  /// The limit that its power is held to, the lowest of all that apply, and the one it is sold with.
  std::optional<double> power_limit_w(const NvmlDevice& device) const;
  std::optional<double> default_power_limit_w(const NvmlDevice& device) const;

 private:
  struct Functions;
  Nvml(Library library, std::unique_ptr<Functions> functions);
  /// False when the board does not have it; throws Error for what else went wrong.
  bool answered(int error, const char* call) const;

  Library library_;
  std::unique_ptr<Functions> functions_;
};

}  // namespace kjoule
