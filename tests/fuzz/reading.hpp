#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "base/padded_text.hpp"
#include "importers/replay_plan.hpp"

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

/// The table, once it was worked out how its kernels could be replayed.
inline ImportedTable planned(ImportedTable table) {
  for (const ReplayCall& call : make_replay_plan(table).calls) bytes_of(call);
  return table;
}

}  // namespace kjoule
