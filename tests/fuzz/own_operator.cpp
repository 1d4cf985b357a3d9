#include "prediction/own_operator.hpp"

#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz(data, size, [](kjoule::PaddedText text) {
    const auto own = kjoule::read_own_operator(std::string(text.view()), "t");
    if (!own) return;
    kjoule::Sizes sizes;
    for (const std::string& name : kjoule::step_size_names()) sizes[name] = 64;
    for (const std::string& column : own->kind.columns) own->step_size(column, sizes);
    for (const double each : {1.0, 128.0, 1e12})
      kjoule::check_shape(own->kind, std::vector<double>(own->kind.columns.size(), each));
  });
}
