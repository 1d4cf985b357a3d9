#include "importers/event_category.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace kjoule {

namespace {

struct NamedCategory {
  std::string_view name;
  EventCategory category;
};

constexpr EventCategory kKernel{EventSort::operation, ActivityKind::kernel};
constexpr EventCategory kCopy{EventSort::operation, ActivityKind::memcpy};
constexpr EventCategory kMemset{EventSort::operation, ActivityKind::memset};
constexpr EventCategory kCall{EventSort::call};
constexpr EventCategory kOperator{EventSort::cpu_operator};
constexpr EventCategory kRange{EventSort::range};
constexpr EventCategory kOther{EventSort::other};

/// The categories of kineto, as written.
constexpr std::array<NamedCategory, 17> kWritten = {{{"cpu_op", kOperator},
                                                     {"python_function", kOther},
                                                     {"cuda_runtime", kCall},
                                                     {"cuda_driver", kCall},
                                                     {"kernel", kKernel},
                                                     {"ac2g", kOther},
                                                     {"fwdbwd", kOther},
                                                     {"gpu_memcpy", kCopy},
                                                     {"gpu_memset", kMemset},
                                                     {"user_annotation", kRange},
                                                     {"gpu_user_annotation", kOther},
                                                     {"cuda_sync", kOther},
                                                     {"overhead", kOther},
                                                     {"cpu_instant_event", kOther},
                                                     {"gpu_pm_counter", kOther},
                                                     {"Trace", kOther},
                                                     {kLibraryRange, {EventSort::library_range}}}};

/// Ends of categories in lower case without spaces and signs. The first one that matches counts.
constexpr std::array<NamedCategory, 21> kEnds = {{{"cpuop", kOperator},
                                                  {"operator", kOperator},
                                                  {"cpuoperator", kOperator},
                                                  {"kernel", kKernel},
                                                  {"kernels", kKernel},
                                                  {"memcpy", kCopy},
                                                  {"memcopy", kCopy},
                                                  {"memorycopy", kCopy},
                                                  {"memset", kMemset},
                                                  {"memoryset", kMemset},
                                                  {"runtime", kCall},
                                                  {"driver", kCall},
                                                  {"runtimeapi", kCall},
                                                  {"driverapi", kCall},
                                                  {"cudaapi", kCall},
                                                  {"hipapi", kCall},
                                                  {"gpuuserannotation", kOther},
                                                  {"userannotation", kRange},
                                                  {"gpusync", kOther},
                                                  {"nvtx", kRange},
                                                  {"nvtxrange", kRange}}};

/// Returns the letters and digits of a category in lower case.
std::string plain(std::string_view category) {
  std::string text;
  for (const char c : category)
    if (c >= 'A' && c <= 'Z')
      text += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      text += c;
  return text;
}

/// Returns whether a category names work of the host, such as "cpu_kernel" or "kernel_launch".
bool is_of_host(const std::string& category) {
  return std::ranges::any_of(std::array{"cpu", "host", "python", "launch"},
                             [&](const char* word) { return category.find(word) != std::string::npos; });
}

EventCategory spelled_otherwise(const std::string& text) {
  for (const NamedCategory& known : kEnds)
    if (text.ends_with(known.name))
      return known.category.sort == EventSort::operation && is_of_host(text) ? EventCategory{}
                                                                             : known.category;
  return {};
}

}  // namespace

EventCategory category_named(std::string_view category) {
  for (const NamedCategory& known : kWritten)
    if (known.name.size() == category.size() && known.name == category) return known.category;
  // A category may be a list: "gpu,kernel".
  while (!category.empty()) {
    const size_t comma = std::min(category.find(','), category.size());
    if (const EventCategory found = spelled_otherwise(plain(category.substr(0, comma)));
        found.sort != EventSort::unknown)
      return found;
    category.remove_prefix(std::min(comma + 1, category.size()));
  }
  return {};
}

}  // namespace kjoule
