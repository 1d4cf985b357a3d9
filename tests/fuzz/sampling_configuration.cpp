#include "sampling/configuration.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz(data, size, [](kjoule::PaddedText text) {
    const auto read = kjoule::read_sampling_configuration(std::string(text.view()), "t");
    if (read.call) read.call_of(read.warmup_shape, "Half");
    if (read.run == kjoule::SamplingConfiguration::Run::get_all) kjoule::Sweep(read.swept).shape(0);
  });
}
