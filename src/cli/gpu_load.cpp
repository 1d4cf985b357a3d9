#include "cli/gpu_load.hpp"

#include <fmt/format.h>

#include "power/nvml.hpp"

namespace kjoule {

nlohmann::json gpu_load_json(const std::string& uuid) {
  try {
    const auto nvml = Nvml::open();
    const auto programs = nvml->programs(nvml->device(uuid));
    if (!programs) return nullptr;
    nlohmann::json json{{"programs_on_gpu", *programs}};
    if (*programs > 1)
      json["warning"] = fmt::format(
          "{} programs have work on this GPU, one of which is measured: what the others do is in its times "
          "and joules; end them, or take another GPU (--gpu)",
          *programs);
    return json;
  } catch (const Error&) {  // what is measured needs no NVML
    return nullptr;
  }
}

}  // namespace kjoule
