#include "power/meters/gpu_names.hpp"

#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "power/meters/nvml.hpp"

namespace kjoule {

namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Returns whether a text in lower case is a PCI bus ID: two or three numbers with colons between them, and a
/// point in the last one ("00000000:0b:00.0", "0b:00.0").
bool is_bus_id(std::string_view text) {
  return text.find(':') != std::string_view::npos && text.find('.') != std::string_view::npos &&
         text.find_first_not_of("0123456789abcdef:.") == std::string_view::npos;
}

/// Returns a form that is the same for all ways to write the name of a GPU.
std::string normal_form(std::string_view text) {
  std::string name = lower_case(text);
  constexpr std::string_view kUuid = "gpu-";
  if (name.starts_with(kUuid)) return name.substr(kUuid.size());
  if (!is_bus_id(name)) return name;
  const size_t first = name.find_first_not_of("0:");
  // Leading zeros of the domain, and of the bus of a GPU in domain 0, are omitted.
  return first == std::string::npos ? name : name.substr(first);
}

}  // namespace

std::vector<GpuNames> list_gpu_names() {
  std::vector<GpuNames> all;
  try {
    for (const NvmlDevice& gpu : Nvml::open()->devices())
      all.push_back({std::to_string(gpu.index), gpu.uuid, gpu.bus_id, gpu.name});
  } catch (const Error&) {  // the caller reports that the GPU of a log is not known
    all.clear();
  }
  return all;
}

GpuNames gpu_with_uuid(const std::string& uuid, const std::vector<GpuNames>& gpus) {
  const auto it =
      std::find_if(gpus.begin(), gpus.end(), [&](const GpuNames& gpu) { return gpu.uuid == uuid; });
  return it != gpus.end() ? *it : GpuNames{.index = {}, .uuid = uuid, .bus_id = {}, .board = {}};
}

bool is_same_gpu_name(std::string_view one, std::string_view other) {
  return !one.empty() && !other.empty() && normal_form(one) == normal_form(other);
}

bool names_gpu(std::string_view text, const GpuNames& gpu, const std::vector<GpuNames>& gpus) {
  for (const std::string* name : {&gpu.index, &gpu.uuid, &gpu.bus_id})
    if (is_same_gpu_name(text, *name)) return true;
  const auto has_board = [&](const GpuNames& one) { return is_same_gpu_name(one.board, gpu.board); };
  return is_same_gpu_name(text, gpu.board) && std::count_if(gpus.begin(), gpus.end(), has_board) <= 1;
}

}  // namespace kjoule
