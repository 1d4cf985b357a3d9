#include "prediction/operator_model.hpp"

#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz(data, size, [](kjoule::PaddedText text) {
    const auto json = nlohmann::json::parse(text.view(), nullptr, false);
    if (json.is_discarded()) return;
    const auto model = kjoule::OperatorModel::from_json(json);
    const size_t sizes = model.kind().columns.size();
    for (const double each : {1.0, 128.0, 1e12}) model.predict(std::vector<double>(sizes, each));
  });
}
