#include "sampling/sample_requests.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

/// Shapes whose sample ends the process, or makes the device unusable.
constexpr int64_t kEndsProcess = 1, kLeavesDeviceUnusable = 2;

/// A Runner that answers with the number of its process, from 1.
class NumberedRunner final : public Runner {
 public:
  explicit NumberedRunner(int number) : number_(number) {}
  std::unique_ptr<Device> start(const RunnerWork&) override { return nullptr; }
  double try_call(const ReplayCall&) override { return {}; }
  SamplingDevice sampling_device() override { return {"d", "t", 1, "w"}; }
  SampleAnswer sample(const SampleRequest& request) override {
    is_usable_ = request.shape.empty();
    if (request.shape == SampleShape{kEndsProcess}) throw DeviceError("it ended", {}, {}, true);
    SampleAnswer answer{.status = SampleStatus::measured};
    answer.directions["step"].passes_us = {static_cast<double>(number_)};
    return answer;
  }
  Roof roof(const std::string&) override { return {}; }
  nlohmann::json describe(const ModelWork&) override { return {}; }
  bool is_usable() const override { return is_usable_; }

 private:
  int number_;
  bool is_usable_ = true;
};

class AnsweredRequests : public testing::Test {
 protected:
  /// Returns the answers to samples of these shapes.
  std::vector<AnsweredRequest> answers_to(const std::vector<SampleShape>& shapes) {
    RestartedRunner runner([this] { return std::make_unique<NumberedRunner>(++processes_); });
    std::vector<AnsweredRequest> answers;
    for (const SampleShape& shape : shapes) {
      SampleRequest request;
      request.shape = shape;
      answers.push_back(answer_request(request, runner));
    }
    return answers;
  }
  static double process_of(const AnsweredRequest& answered) {
    return answered.answer.directions.at("step").passes_us.at(0);
  }

  int processes_ = 0;
};

TEST_F(AnsweredRequests, ASampleThatEndsItsProcessCostsItself) {
  const auto answers = answers_to({{}, {kEndsProcess}, {kLeavesDeviceUnusable}, {}});
  EXPECT_EQ(process_of(answers[0]), 1);
  EXPECT_FALSE(answers[0].ended_process);
  EXPECT_EQ(answers[1].answer.status, SampleStatus::error);
  EXPECT_EQ(answers[1].answer.why, "it ended");
  EXPECT_TRUE(answers[1].ended_process);
  EXPECT_EQ(process_of(answers[2]), 2);
  EXPECT_FALSE(answers[2].ended_process) << "it was measured";
  EXPECT_EQ(process_of(answers[3]), 3);
}

TEST_F(AnsweredRequests, AreAnsweredByOneProcess) {
  answers_to({{}, {}, {}});
  EXPECT_EQ(processes_, 1);
}

}  // namespace
}  // namespace kjoule
