#include "run/started_runner.hpp"

#include <gtest/gtest.h>

#include "run/tried_calls.hpp"

namespace kjoule {
namespace {

/// A runner that calls operators. A copy ends its process, and a memset makes it unusable.
class FragileRunner final : public Runner {
 public:
  std::unique_ptr<Device> start(const RunnerWork&) override { return nullptr; }
  double try_call(const ReplayCall& call) override {
    if (!is_usable()) throw Error("asked again");
    lost_ = !std::holds_alternative<OperatorCall>(call);
    if (std::holds_alternative<MemoryCopy>(call)) throw DeviceError("ended", {}, {}, true);
    if (lost_) throw Error("no memory", "buy some");
    return 0.5;
  }
  SamplingDevice sampling_device() override { return {}; }
  SampleAnswer sample(const SampleRequest&) override { return {}; }
  Roof roof(const std::string&) override { return {}; }
  nlohmann::json describe(const ModelWork&) override { return {}; }
  bool is_usable() const override { return !lost_; }

 private:
  bool lost_ = false;
};

TEST(TriedCalls, ThoseThatEndTheirProcessAreRefusedAndTheOthersGoOn) {
  int starts = 0;
  RestartedRunner runner([&] {
    ++starts;
    return std::make_unique<FragileRunner>();
  });
  const std::vector<ReplayCall> calls{OperatorCall{"a", {}}, MemoryCopy{}, OperatorCall{"b", {}}, MemorySet{},
                                      OperatorCall{"c", {}}};
  const auto progress = make_progress();
  const auto refused = tried_calls(std::move(runner), calls, *progress);
  EXPECT_EQ(refused, (std::map<size_t, std::string>{{1, "ended"}, {3, "no memory; buy some"}}));
  EXPECT_EQ(starts, 3);
}

TEST(TriedCalls, AreAnErrorWhereNothingCanBeStarted) {
  RestartedRunner runner([]() -> std::unique_ptr<Runner> { throw Error("no GPU today"); });
  const auto progress = make_progress();
  EXPECT_THROW(tried_calls(std::move(runner), {MemorySet{}}, *progress), Error);
}

TEST(RunnerPlaces, AreOnTheGpuOfTheChosenNumber) {
  SubjectOptions options;
  options.device = "cuda";
  EXPECT_EQ(runner_place(options).device, "cuda");
  options.injection.gpu = 3;
  EXPECT_EQ(runner_place(options).device, "cuda:3");
  options.device = "cpu";
  EXPECT_EQ(runner_place(options).device, "cpu");
}

}  // namespace
}  // namespace kjoule
