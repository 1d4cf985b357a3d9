#include "importers/device_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace kjoule {

std::optional<int64_t> choose_device(const std::set<int64_t>& devices, const ImportChoice& choice,
                                     const std::string& file) {
  if (devices.size() > 1 && !choice.gpu)
    throw Error(fmt::format("{}: contains kernels of devices {}", file, fmt::join(devices, ", ")),
                "choose one with --gpu N");
  if (devices.empty()) return {};
  return choice.gpu ? choice.gpu : *devices.begin();
}

void fail_without_device(const std::set<int64_t>& devices, int64_t gpu, const std::string& file) {
  throw Error(fmt::format("{}: contains no kernels of device {}", file, gpu),
              fmt::format("it contains kernels of {}", fmt::join(devices, ", ")));
}

}  // namespace kjoule
