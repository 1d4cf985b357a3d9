#include "prediction/training_configuration.hpp"

#include "prediction/step.hpp"
#include "tests/fuzz/reading.hpp"

namespace {

using namespace kjoule;

class OneMicrosecond final : public StepModels {
 public:
  OperatorPrediction operation(const std::string&, Direction, const std::vector<double>&) override {
    return {{1, 1, 1, {}, {}}, {}};
  }
  OperatorPrediction collective(const std::string&, double, int, int) override {
    return {{1, 1, 1, {}, {}}, {}};
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz(data, size, [](PaddedText text) {
    const TrainingConfiguration run = read_training_configuration(std::string(text.view()), "t");
    OneMicrosecond models;
    predict_reference_step(run, models);
    predict_corrected_step(run, models, Schedule::gpipe);
    predict_corrected_step(run, models, Schedule::one_forward_one_backward);
  });
}
