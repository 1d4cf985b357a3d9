#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/files/padded_text.hpp"
#include "base/process/temporary_folder.hpp"
#include "importers/import_choice.hpp"
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

/// Calls read(path) with a file in memory that contains what the fuzzer made up, for readers that open their
/// file.
template <class Read>
int fuzz_file(const uint8_t* data, size_t size, Read read) {
  static const int file = memfd_create("fed", 0);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  return fuzz(data, size, [&](const PaddedText&) {
    read(std::filesystem::path("/proc/self/fd/" + std::to_string(file)));
  });
}

/// Calls read(path) with a file of this name that contains what the fuzzer made up, for readers that need a
/// name, or that also replace the file.
template <class Read>
int fuzz_named_file(const uint8_t* data, size_t size, const char* name, Read read) {
  static const TemporaryFolder folder;
  const std::filesystem::path file = folder / name;
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return fuzz(data, size, [&](const PaddedText&) { read(file); });
}

/// Returns options of a user, which depend on the length of the input, so that the fuzzer also reaches what
/// options do.
inline ImportChoice choice_for(std::string_view text) {
  switch (text.size() % 8) {
    case 1:
      return {.iterations = 2};
    case 2:
      return {.annotation = "ProfilerStep"};
    case 3:
      return {.gpu = 0};
    case 4:
      return {.gpu = 1};
    case 5:
      return {.omit_impossible_times = true};
    default:
      return {};
  }
}

/// The table, once it was worked out how its kernels could be replayed.
inline ImportedTable planned(ImportedTable table) {
  for (const ReplayCall& call : make_replay_plan(table).calls) bytes_of(call);
  return table;
}

}  // namespace kjoule
