#include "compare/changes/baseline.hpp"

#include "base/process/temporary_folder.hpp"
#include "tests/fuzz/reading.hpp"

/// What was read can be written, and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const kjoule::TemporaryFolder folder;
  std::optional<kjoule::Baseline> baseline;
  kjoule::fuzz_file(data, size, [&](const std::filesystem::path& file) {
    kjoule::is_baseline(file);
    baseline = kjoule::read_baseline(file);
  });
  if (!baseline) return 0;
  const std::filesystem::path again = folder / "baseline.json";
  kjoule::write_baseline(again, *baseline);
  kjoule::read_baseline(again);
  return 0;
}
