#include "power/logs/formats/text_format.hpp"

namespace kjoule {

std::unique_ptr<TextFormat> text_format_of(std::string_view line) {
  for (const auto format : {tegrastats, nvidia_smi_dmon, dcgmi_dmon, amd_smi_table, ptdaemon, turbostat})
    if (auto found = format(line)) return found;
  return nullptr;
}

}  // namespace kjoule
