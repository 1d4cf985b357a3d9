#include "recorded.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace kjoule::driver {

namespace {

bool has_any(const std::string& name, std::initializer_list<const char*> words) {
  for (const char* word : words)
    if (name.find(word) != std::string::npos) return true;
  return false;
}

Tier tier_of(const std::string& name) {
  if (has_any(name,
              {"at::native", "at::cuda", "at_cuda_detail", "c10::", "triton_", "pytorch_flash", "fmha_"}))
    return Tier::framework;
  if (has_any(name, {"cublas", "nvjet", "gemm", "gemv", "cutlass", "cudnn", "xmma", "splitKreduce", "cufft",
                     "vector_fft", "regular_fft", "cusolver", "cusparse", "ncclDevKernel", "cask_"}))
    return Tier::vendor_library;
  return Tier::unknown;
}

uint64_t word_at(const std::vector<std::byte>& bytes, size_t offset) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

std::string hexadecimal(const std::vector<std::byte>& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

nlohmann::json attributes_of(const KernelCall& kernel) {
  nlohmann::json ids = nlohmann::json::array();
  for (const CUlaunchAttribute& attribute : kernel.attributes) ids.push_back(static_cast<int>(attribute.id));
  return ids;
}

}  // namespace

uint64_t Describer::hash_of_values(const KernelCall& kernel) const {
  std::vector<std::byte> values = kernel.arguments;
  for (size_t i = 0; i < kernel.function->offsets.size(); ++i) {
    const size_t begin = kernel.function->offsets[i];
    const size_t end = std::min(begin + kernel.function->sizes[i], values.size());
    for (size_t at = begin; at + sizeof(uint64_t) <= end; at += sizeof(uint64_t))
      if (ranges_.holds(word_at(values, at))) std::memset(values.data() + at, 0, sizeof(uint64_t));
  }
  return XXH3_64bits(values.data(), values.size());
}

Launch Describer::describe(const Call& call) {
  Launch launch;
  launch.name = readable_name(call);
  launch.tier = Tier::cuda_runtime;
  const int stream = streams_.emplace(call.stream, static_cast<int>(streams_.size())).first->second;
  if (const auto* kernel = std::get_if<KernelCall>(&call.what)) {
    launch.tier = tier_of(launch.name);
    launch.signature =
        fmt::format("{} <<<{}x{}x{}, {}x{}x{}, {}>>> {:08x}", launch.name, kernel->grid[0], kernel->grid[1],
                    kernel->grid[2], kernel->block[0], kernel->block[1], kernel->block[2],
                    kernel->shared_bytes, hash_of_values(*kernel) & 0xffffffff);
    launch.detail = {{"function", kernel->function->name},
                     {"grid", kernel->grid},
                     {"block", kernel->block},
                     {"shared_bytes", kernel->shared_bytes},
                     {"arguments", hexadecimal(kernel->arguments)},
                     {"argument_offsets", kernel->function->offsets},
                     {"attributes", attributes_of(*kernel)},
                     {"stream", stream}};
  } else if (const auto* copy = std::get_if<CopyCall>(&call.what)) {
    launch.signature = fmt::format("{} {}x{}x{} B", launch.name, copy->shape.WidthInBytes, copy->shape.Height,
                                   copy->shape.Depth);
    launch.detail = {{"bytes", copy->bytes()}, {"stream", stream}};
  } else {
    const auto& set = std::get<SetCall>(call.what);
    launch.signature = fmt::format("memset {}x{} of {} B", set.width, set.height, set.element_bytes);
    launch.detail = {
        {"bytes", set.width * set.height * set.element_bytes}, {"value", set.value}, {"stream", stream}};
  }
  return launch;
}

}  // namespace kjoule::driver
