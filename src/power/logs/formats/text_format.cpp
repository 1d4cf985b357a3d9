#include "power/logs/formats/text_format.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace kjoule {

void TextFormat::check_repeated_header(std::string_view line, const Cells& names, size_t own) const {
  if (std::equal(names.begin(), names.end(), titles_.begin() + static_cast<std::ptrdiff_t>(own),
                 titles_.end()))
    return;
  throw Error(quoted_begin(trimmed(line)) + " is another header, which differs from the first",
              "split the file before this line, and give one of the parts");
}

std::unique_ptr<TextFormat> text_format_of(std::string_view line) {
  for (const auto format : {tegrastats, nvidia_smi_dmon, dcgmi_dmon, amd_smi_table, ptdaemon, turbostat})
    if (auto found = format(line)) return found;
  return nullptr;
}

}  // namespace kjoule
