#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "base/padded_text.hpp"

namespace kjoule {

/// Calls read(text) with what the fuzzer made up. An Error is what a reader may throw; all else is a finding.
template <class Read>
int fuzz(const uint8_t* data, size_t size, Read read) {
  try {
    read(PaddedText::copy_of({reinterpret_cast<const char*>(data), size}));
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace kjoule
