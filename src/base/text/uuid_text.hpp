#pragma once
#include <span>
#include <string>

namespace kjoule {

/// Returns the UUID of a GPU as NVML and nvidia-smi write it: "GPU-" and its bytes in hexadecimal digits.
inline std::string gpu_uuid_text(std::span<const char, 16> bytes) {
  std::string text = "GPU-";
  constexpr char kHex[] = "0123456789abcdef";
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

}  // namespace kjoule
