#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/files/padded_text.hpp"
#include "importers/profiled_call.hpp"
#include "importers/profiler_table.hpp"

namespace kjoule {
namespace {

using Json = nlohmann::json;

/// The end of a training step with many parameters, as PyTorch's profiler writes it.
class TrainingStep {
 public:
  TrainingStep& gradient(const std::string& sizes, const std::string& strides) {
    return add(
        "torch::autograd::AccumulateGrad",
        fmt::format(R"("Input Dims": [{}], "Input Strides": [{}], "Input type": ["float"])", sizes, strides));
  }
  TrainingStep& adamw(const std::string& amsgrad = "False") {
    add("aten::_fused_adamw_", fmt::format(R"("Input Dims": [[],[],[],[],[],[],[],[],[],[],[],[],[]],
        "Input Strides": [[],[],[],[],[],[],[],[],[],[],[],[],[]],
        "Input type": ["TensorList","TensorList","TensorList","TensorList","TensorList","TensorList",
                       "Scalar","Scalar","Scalar","Scalar","Scalar","Scalar","Scalar"],
        "Concrete Inputs": ["","","","","","","0.001","0.9","0.999","0.01","1e-08","{}","False"])",
                                           amsgrad));
    event("kernel", "FusedAdam",
          fmt::format(R"("External id": {}, "grid": [{},1,1], "block": [512,1,1])", id_, id_));
    return *this;
  }
  /// Sets the time at which the next event begins.
  TrainingStep& at(int time) {
    time_ = time;
    return *this;
  }
  /// Returns the operator of the table's kernel with that number.
  LaunchingOperator launched_by(size_t kernel) const {
    const std::string text = fmt::format(R"({{"traceEvents": [{}]}})", events_);
    ImportChoice choice;
    choice.iterations = 1;
    return make_profiler_table(read_profiler_trace(PaddedText::copy_of(text), "t"), choice, "t")
        .kernels.at(kernel)
        .launched_by;
  }

 private:
  TrainingStep& add(const std::string& name, const std::string& inputs) {
    ++id_;
    return event("cpu_op", name, fmt::format(R"("External id": {}, {})", id_, inputs));
  }
  TrainingStep& event(const char* category, const std::string& name, const std::string& args) {
    if (!events_.empty()) events_ += ",\n";
    events_ += fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "ts": {}, "dur": 1, "args": {{{}}}}})",
                           category, name, ++time_, args);
    return *this;
  }

  int id_ = 0, time_ = 0;
  std::string events_;
};

TEST(AddListsLeftOut, GoesByTimeAndNotByTheFile) {
  TrainingStep file;
  for (const int step : {0, 1, 2}) file.at(20 * step).gradient(fmt::format("[{}]", step + 5), "[1]");
  for (const int step : {0, 1, 2}) file.at(20 * step + 10).adamw();
  for (const int step : {0, 1, 2}) {
    const Json parameters = make_operator_call(file.launched_by(static_cast<size_t>(step))).arguments[0];
    ASSERT_EQ(parameters.size(), 1u);
    EXPECT_EQ(parameters[0]["tensor"]["shape"], Json::array({step + 5}));
  }
}

TEST(AddListsLeftOut, TakesAnOptimizersParametersFromTheGradientsBeforeIt) {
  const TrainingStep step = TrainingStep().gradient("[5]", "[1]").gradient("[5,3]", "[3,1]").adamw();
  const OperatorCall call = make_operator_call(step.launched_by(0));
  const Json parameters = Json::parse(R"([{"tensor": {"dtype": null, "shape": [5, 3], "strides": [3, 1]}},
                                          {"tensor": {"dtype": null, "shape": [5], "strides": [1]}}])");
  for (size_t list = 0; list < 4; ++list) EXPECT_EQ(call.arguments[list], parameters) << list;
  EXPECT_EQ(call.arguments[4], Json::array());
  const Json number = Json::parse(R"({"tensor": {"dtype": null, "shape": [], "strides": []}})");
  EXPECT_EQ(call.arguments[5], Json::array({number, number}));
}

TEST(AddListsLeftOut, FillsAListThatAnArgumentAsksFor) {
  const OperatorCall call =
      make_operator_call(TrainingStep().gradient("[5]", "[1]").adamw("True").launched_by(0));
  EXPECT_EQ(call.arguments[4], call.arguments[0]);
}

TEST(AddListsLeftOut, TakesTheGradientsOfItsOwnStep) {
  const TrainingStep steps = TrainingStep().gradient("[5]", "[1]").adamw().gradient("[7]", "[1]").adamw();
  EXPECT_EQ(make_operator_call(steps.launched_by(1)).arguments[0][0]["tensor"]["shape"], Json::array({7}));
}

TEST(AddListsLeftOut, DoesNotGuessWhoseParametersAreWhose) {
  EXPECT_THROW(make_operator_call(TrainingStep().gradient("[5]", "[1]").adamw().adamw().launched_by(0)),
               Error);
  EXPECT_THROW(make_operator_call(TrainingStep().adamw().launched_by(0)), Error);
  EXPECT_THROW(make_operator_call(TrainingStep().gradient("{}", "[1]").adamw().launched_by(0)), Error);
}

}  // namespace
}  // namespace kjoule
