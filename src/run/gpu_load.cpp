#include "run/gpu_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "power/meters/nvml.hpp"

namespace kjoule {

namespace {

/// Default folder of the pipes of NVIDIA's multi-process service (MPS). CUDA_MPS_PIPE_DIRECTORY overrides it.
constexpr const char* kMpsPipes = "/tmp/nvidia-mps";

/// Returns the folder of MPS's pipes; nothing if programs use the GPU without MPS.
std::optional<std::string> mps_pipes() {
  const char* named = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  if (named != nullptr && *named != '\0') return named;
  std::error_code ignored;
  if (std::filesystem::is_directory(kMpsPipes, ignored)) return kMpsPipes;
  return {};
}

/// The state of a GPU, with a warning for each condition that affects measurements.
class GpuLoad {
 public:
  void take_programs(std::optional<unsigned> programs) {
    if (!programs) return;
    json_["programs_on_gpu"] = *programs;
    if (*programs > 1)
      warn(
          fmt::format("{} programs use this GPU, one of which is measured: the work of the other programs "
                      "changes its times and energies; end them, or choose another GPU with --gpu N",
                      *programs));
  }

  void take_mig(std::optional<bool> mig) {
    if (!mig) return;
    json_["mig"] = *mig;
    if (*mig)
      warn(
          "this GPU is divided (MIG): other programs may use its other parts, and its power includes all "
          "parts");
  }

  void take_mps(const std::optional<std::string>& pipes) {
    if (!pipes) return;
    json_["mps"] = *pipes;
    warn(
        fmt::format("this GPU may be shared through MPS ({}): work of other programs may run at the same "
                    "time as the measured work",
                    *pipes));
  }

  void take_power_limits(std::optional<double> enforced_w, std::optional<double> default_w) {
    if (enforced_w) json_["power_limit_w"] = *enforced_w;
    if (default_w) json_["default_power_limit_w"] = *default_w;
    if (enforced_w && default_w && *enforced_w < *default_w)
      warn(
          fmt::format("this GPU's power is limited to {:.0f} W ({:.0f} W by default): it may be slower than "
                      "other GPUs of this model",
                      *enforced_w, *default_w));
  }

  void take_throttle_reasons(const std::optional<std::vector<std::string>>& reasons) {
    if (!reasons || reasons->empty()) return;
    json_["throttle_reasons"] = *reasons;
    warn(fmt::format("this GPU's clock is reduced at the beginning of the measurement (throttle reason: {})",
                     reasons->front()));
  }

  nlohmann::json json() const { return json_; }

 private:
  void warn(const std::string& warning) { json_["warnings"].push_back(warning); }

  nlohmann::json json_;
};

}  // namespace

nlohmann::json gpu_load_json(const std::string& uuid) {
  try {
    const auto nvml = Nvml::open();
    const NvmlDevice device = nvml->device(uuid);
    GpuLoad load;
    load.take_programs(nvml->process_count(device));
    load.take_mig(nvml->is_divided(device));
    load.take_mps(mps_pipes());
    load.take_power_limits(nvml->power_limit_w(device), nvml->default_power_limit_w(device));
    load.take_throttle_reasons(nvml->state(device).throttle_reasons);
    return load.json();
  } catch (const Error&) {  // measuring does not need NVML
    return nullptr;
  }
}

}  // namespace kjoule
