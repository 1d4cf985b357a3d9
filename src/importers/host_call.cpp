#include "importers/host_call.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace kjoule {

bool is_host_call(const std::string& name) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (!std::ranges::all_of(name, is_word)) return false;
  for (const char* begin : {"cuLaunch", "cuMem", "cuStream", "cuEvent", "cuCtx", "cuModule", "cuGraph",
                            "cuOccupancy", "hsa_", "__hipPush", "__hipPop", "__hipRegister"})
    if (name.starts_with(begin)) return true;
  for (const std::string_view runtime : {"cuda", "hip"})
    if (name.starts_with(runtime) && name.size() > runtime.size() &&
        std::isupper(static_cast<unsigned char>(name[runtime.size()])) != 0)
      return true;
  return false;
}

}  // namespace kjoule
