#include "importers/device_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace kjoule {

void fail_without_device(const std::set<int64_t>& devices, int64_t gpu, const std::string& file) {
  throw Error(fmt::format("{}: contains no kernels of device {}", file, gpu),
              devices.empty()
                  ? "omit --gpu: the file does not state the devices of its kernels"
                  : fmt::format("choose a device of the file with --gpu: {}", fmt::join(devices, ", ")));
}

void require_one_gpu(const ImportedTable& table) {
  if (const std::set<int64_t> gpus = table.gpus(); gpus.size() > 1)
    throw Error(fmt::format("{}: contains kernels of GPUs {}, but one GPU is measured", table.source,
                            fmt::join(gpus, ", ")),
                "choose one with --gpu N");
}

}  // namespace kjoule
