#include "prediction/samples.hpp"

#include "prediction/operator_model.hpp"
#include "prediction/sampled_data.hpp"
#include "tests/fuzz/reading.hpp"

// Tables of operators and of collectives: what is read is used as training does, short of growing trees.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz(data, size, [](kjoule::PaddedText text) {
    const std::string csv(text.view());
    kjoule::TableName::parse(csv.substr(0, csv.find('\n')));
    if (kjoule::find_direction(csv.substr(0, csv.find(',')))) return;
    const kjoule::Samples samples = kjoule::read_samples(csv, "t");
    for (const kjoule::OperatorKind& known : kjoule::operator_kinds()) {
      const kjoule::OperatorKind kind = kjoule::make_operator_kind(known.name, samples.columns);
      for (const auto& shape : samples.shapes) kjoule::correction_row(kind.work(shape), true);
    }
    for (const auto& [direction, us] : samples.us) {
      samples.select(direction, kjoule::Measurand::time);
      samples.select(direction, kjoule::Measurand::energy);
    }
  });
}
