#include "tests/fuzz/power_log_reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz_text_format(data, size, kjoule::amd_smi_table);
}
