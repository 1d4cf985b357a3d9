#include "cuda/memory/image_room.hpp"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

namespace {

/// Upper limit of the GPU memory, in bytes, that stays free for kjoule's graphs.
constexpr uint64_t kMostLeft = uint64_t{768} << 20;
constexpr uint64_t kShareLeft = 3;

}  // namespace

ImageRoom::ImageRoom() : host(host_room()) {
  size_t free = 0;
  size_t total = 0;
  KJOULE_CU(cuMemGetInfo(&free, &total));
  device = free - std::min<uint64_t>(kMostLeft, free / kShareLeft);
}

std::string ImageRoom::text() const {
  return fmt::format(
      "there is room for {} on the GPU, {} in the host's memory and {} in {}", size_text(device),
      size_text(host.memory), size_text(host.file),
      host.folder.empty() ? "temporary files (no folder for them is on a disk)" : host.folder.string());
}

std::string size_text(uint64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  auto size = static_cast<double>(bytes);
  for (; size >= 1024 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  return fmt::format("{:.3g} {}", size, kUnits[unit]);
}

}  // namespace kjoule::cuda
