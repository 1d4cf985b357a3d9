#include "sampling/sampled_rows.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"

namespace kjoule {
namespace {

/// A shell script in the place of kjoule-torch, which is called with --operators FILE --sample N.
class Scripted {
 public:
  explicit Scripted(const std::string& script) { write_atomic(folder_ / "runner.sh", script); }

  /// To so many requests, and to as many more as there are to be once the first has its answer.
  std::vector<SampleAnswer> answers_to(size_t count, size_t more = 0) {
    std::vector<SampleAnswer> answers;
    std::vector<SampleRequest> requests(count);
    sample_requests(
        {"/bin/sh", folder_ / "runner.sh"}, requests,
        [this](const SamplingDevice& device) { devices.push_back(device.name); },
        [&](size_t request, const SampleAnswer& answer) {
          EXPECT_EQ(request, answers.size());
          answers.push_back(answer);
          if (request == 0) requests.resize(count + more);
        });
    return answers;
  }

  std::vector<std::string> devices;

 private:
  TemporaryFolder folder_;
};

constexpr const char* kHello = R"(echo '{"device": "d", "torch": "t", "threads": 1, "time": "w"}')";

TEST(SampleRequests, ASampleThatEndsItsProcessCostsOneRow) {
  Scripted runner(std::string(kHello) + R"(
n=$4
while [ $n -lt 4 ]; do
  echo "{\"tries\": $n}"
  if [ $n = 1 ]; then echo "it faults"; kill -9 $$; fi
  echo "{\"sample\": $n, \"answer\": {\"status\": \"measured\", \"directions\": {\"step\": {\"passes_us\": [$n]}}}}"
  if [ $n = 2 ]; then exit 1; fi  # the device is unusable behind it
  n=$((n + 1))
done
)");
  const std::vector<SampleAnswer> answers = runner.answers_to(4);
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0].status, SampleStatus::measured);
  EXPECT_EQ(answers[1].status, SampleStatus::error);
  EXPECT_EQ(answers[1].why, "its process ended with it (killed by signal 9 (Killed): it faults)");
  EXPECT_EQ(answers[2].directions.at("step").passes_us, std::vector<double>{2});
  EXPECT_EQ(answers[3].directions.at("step").passes_us, std::vector<double>{3});
  EXPECT_EQ(runner.devices, std::vector<std::string>{"d"}) << "told once";
}

/// Answers lines of the file as they come, with its own number; the second ends the first process.
constexpr const char* kFollows = R"(
n=$4
while :; do
  line=$(sed -n "$((n + 1))p" "$2")
  case $line in
    "") sleep 0.01; continue;;
    *end*) exit 0;;
  esac
  echo "{\"tries\": $n}"
  if [ $n = 1 ]; then exit 5; fi
  echo "{\"sample\": $n, \"answer\": {\"status\": \"measured\", \"directions\": {\"step\": {\"passes_us\": [$$]}}}}"
  n=$((n + 1))
done
)";

TEST(SampleRequests, ThoseThatAreAddedAreTimedInTheSameProcess) {
  Scripted runner(std::string(kHello) + kFollows);
  const std::vector<SampleAnswer> answers = runner.answers_to(1, 4);
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[1].why, "its process ended with it (exit code 5)");
  EXPECT_EQ(answers[2].directions.at("step").passes_us, answers[4].directions.at("step").passes_us);
  EXPECT_NE(answers[2].directions.at("step").passes_us, answers[0].directions.at("step").passes_us);
  EXPECT_EQ(Scripted(std::string(kHello) + kFollows).answers_to(1).size(), 1u);
}

TEST(SampleRequests, ARunnerThatCannotRunIsAnError) {
  Scripted runner("echo 'no GPU today'; exit 3");
  for (const size_t requests : {0, 2}) try {
      runner.answers_to(requests);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "kjoule-torch ended (exit code 3): no GPU today");
    }
}

TEST(SampleRequests, ThatAreNoneTellTheDevice) {
  Scripted runner(kHello);
  EXPECT_TRUE(runner.answers_to(0).empty());
  EXPECT_EQ(runner.devices, std::vector<std::string>{"d"});
}

}  // namespace
}  // namespace kjoule
