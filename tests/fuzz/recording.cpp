#include <string>

#include "importers/import.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // behind its header, so that whatever comes is read as a recording
  const std::string header = R"({"format": "kjoule-recording", "version": 1, "launches": 2)";
  return kjoule::fuzz(data, size, [&](kjoule::PaddedText text) {
    kjoule::import_text(kjoule::PaddedText::copy_of(header + std::string(text.view())), {}, "t");
  });
}
