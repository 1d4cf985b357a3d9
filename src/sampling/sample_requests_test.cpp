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

class SampledRequests : public testing::Test {
 protected:
  /// Returns the answers to samples of these shapes, and of the shapes `more`, which are requested when the
  /// first answer has arrived.
  std::vector<SampleAnswer> answers_to(const std::vector<SampleShape>& shapes,
                                       const std::vector<SampleShape>& more = {}) {
    std::vector<SampleRequest> requests;
    const auto add = [&](const std::vector<SampleShape>& all) {
      for (const SampleShape& shape : all) requests.emplace_back().shape = shape;
    };
    add(shapes);
    std::vector<SampleAnswer> answers;
    sample_requests(
        RestartedRunner([this] { return std::make_unique<NumberedRunner>(++processes_); }), requests,
        [this](const SamplingDevice& device) { devices_.push_back(device.name); },
        [&](size_t request, const SampleAnswer& answer) {
          EXPECT_EQ(request, answers.size());
          answers.push_back(answer);
          if (request == 0) add(more);
        });
    return answers;
  }
  static double process_of(const SampleAnswer& answer) {
    return answer.directions.at("step").passes_us.at(0);
  }

  int processes_ = 0;
  std::vector<std::string> devices_;
};

TEST_F(SampledRequests, ASampleThatEndsItsProcessCostsOneRow) {
  const auto answers = answers_to({{}, {kEndsProcess}, {kLeavesDeviceUnusable}, {}});
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(process_of(answers[0]), 1);
  EXPECT_EQ(answers[1].status, SampleStatus::error);
  EXPECT_EQ(answers[1].why, "it ended");
  EXPECT_EQ(process_of(answers[2]), 2);
  EXPECT_EQ(process_of(answers[3]), 3);
  EXPECT_EQ(devices_, std::vector<std::string>{"d"}) << "once";
}

TEST_F(SampledRequests, ThoseThatAreAddedAreTimedInTheSameProcess) {
  const auto answers = answers_to({{}}, {{}, {}});
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(processes_, 1);
}

TEST_F(SampledRequests, WithoutRequestsReportTheDevice) {
  EXPECT_TRUE(answers_to({}).empty());
  EXPECT_EQ(devices_, std::vector<std::string>{"d"});
}

}  // namespace
}  // namespace kjoule
