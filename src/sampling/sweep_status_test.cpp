#include "sampling/sweep_status.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

/// Returns a line {"run": ..} of a part with four samples of a sweep with eight.
std::string run_line(const std::string& node) {
  return fmt::format(R"({{"run":{{"node":"{}","samples_of_sweep":8,"samples":4,"definition":{{}}}}}})"
                     "\n",
                     node);
}

std::string sample_line(size_t sample, double us) {
  return fmt::format(R"({{"sample":{},"shape":{{"b":1,"l":{}}},"status":"measured","directions":)"
                     R"({{"step":{{"passes_us":[{}],"flops":null,"least_bytes":null}}}},)"
                     R"("peak_memory_bytes":null,"kernels":null}})"
                     "\n",
                     sample, sample, us);
}

std::string error_line(size_t sample) {
  return fmt::format(
      R"({{"sample":{},"shape":{{"b":1,"l":{}}},"status":"error","why":"x","peak_memory_bytes":null,)"
      R"("kernels":null}})"
      "\n",
      sample, sample);
}

class Status : public testing::Test {
 protected:
  void write_part(int part, const std::string& jsonl, const std::string& log = {}) {
    const auto name = fmt::format("D_op_fp16_2_{}", part);
    for (const char* folder : {"sampling_data", "sampling_log"}) make_folder(folder_.path() / folder);
    write_atomic(folder_.path() / "sampling_data" / (name + ".csv"), "b,l,dur(us)\n");
    write_atomic(folder_.path() / "sampling_data" / (name + ".jsonl"), jsonl);
    if (!log.empty()) write_atomic(folder_.path() / "sampling_log" / (name + ".txt"), log);
  }
  SweepStatus read() const {
    const auto all = read_sweep_status(folder_.path());
    EXPECT_EQ(all.size(), 1u);
    return all.front();
  }

  TemporaryFolder folder_;
};

TEST_F(Status, CountsWhatIsDoneLeftAndFailed) {
  write_part(1, run_line("n0") + sample_line(2, 10) + error_line(4) + "{\"sample\":6,\"sha",
             "Speed: 9.00s/sample | \nSpeed: 2.00s/sample | \n");
  const SweepStatus status = read();
  EXPECT_EQ(status.sweep, "D_op_fp16");
  EXPECT_EQ(status.samples, 8u);
  EXPECT_EQ(status.done, 1u);
  EXPECT_EQ(status.failed, 1u);
  EXPECT_EQ(status.not_begun, std::vector<size_t>{2});
  EXPECT_FALSE(status.remaining_s);
  EXPECT_FALSE(status.is_complete());
  EXPECT_EQ(status.nodes.at("n0").samples_per_s, 0.5);
}

TEST_F(Status, AnErrorThatIsRepeatedSuccessfullyIsDone) {
  write_part(1, run_line("n0") + error_line(2) + run_line("n1") + sample_line(2, 10),
             "Speed: 2.00s/sample\n");
  write_part(2, run_line("n1") + sample_line(1, 10) + sample_line(3, 10), "Speed: 4.00s/sample\n");
  const SweepStatus status = read();
  EXPECT_EQ(status.done, 3u);
  EXPECT_EQ(status.failed, 0u);
  EXPECT_EQ(status.remaining_s, 8.0) << "2 samples of 4 s are longer than 3 of 2 s";
  EXPECT_FALSE(status.nodes.contains("n0"));
  EXPECT_EQ(status.nodes.at("n1").measured, 3u);
  EXPECT_EQ(status.nodes.at("n1").samples_per_s, 0.75);
}

TEST_F(Status, ComparesNodesByNeighbouringSizes) {
  // The samples of n1 take 1.2 times as long; sample 5 is an outlier, which does not make outliers of 4
  // and 6.
  write_part(1, run_line("n0") + sample_line(2, 100) + sample_line(4, 100) + sample_line(6, 100) +
                    sample_line(8, 100));
  write_part(2, run_line("n1") + sample_line(1, 120) + sample_line(3, 120) + sample_line(5, 700) +
                    sample_line(7, 120));
  const SweepStatus status = read();
  EXPECT_TRUE(status.is_complete());
  EXPECT_DOUBLE_EQ(status.nodes.at("n1").against_neighbours.value(), 1.2);
  EXPECT_LT(status.nodes.at("n0").against_neighbours.value(), 0.84);
  EXPECT_EQ(status.nodes.at("n1").outliers, 1u);
  EXPECT_EQ(status.nodes.at("n0").outliers, 0u);
}

/// Returns the line of a sample that a GPU measured in 100 us, `gpu_s` seconds after its previous row.
std::string line_of_gpu(size_t sample, const std::string& gpu, double gpu_s) {
  std::string line = sample_line(sample, 100);
  line.insert(line.rfind('}'), fmt::format(R"(,"gpu":"{}","gpu_s":{})", gpu, gpu_s));
  return line;
}

TEST_F(Status, HasTheSpeedOfEachGpuInTheLastRuns) {
  write_part(1, run_line("n0") + line_of_gpu(2, "GPU-a", 100) + run_line("n0") + line_of_gpu(4, "GPU-a", 2) +
                    line_of_gpu(6, "GPU-b", 4) + line_of_gpu(8, "GPU-a", 4));
  write_part(2, run_line("n0") + line_of_gpu(1, "GPU-b", 12) + sample_line(3, 100));
  const SweepStatus status = read();
  ASSERT_EQ(status.gpus.size(), 2u);
  EXPECT_EQ(status.gpus.at("GPU-a").measured, 3u);
  EXPECT_DOUBLE_EQ(status.gpus.at("GPU-a").samples_per_s.value(), 2 / 6.0) << "without the earlier run";
  EXPECT_EQ(status.gpus.at("GPU-b").measured, 2u);
  EXPECT_DOUBLE_EQ(status.gpus.at("GPU-b").samples_per_s.value(), 2 / 16.0);
}

/// Returns a line {"run": ..} with these fields of a sweep with eight samples.
std::string run_with(const std::string& fields) {
  return fmt::format(R"({{"run":{{"samples_of_sweep":8,{},"definition":{{}}}}}})"
                     "\n",
                     fields);
}

TEST(SweepStatus, IsCompleteAtTheBudgetOfTheLastRun) {
  const TemporaryFolder folder;
  make_folder(folder.path() / "sampling_data");
  const auto read = [&](const std::string& jsonl) {
    write_atomic(folder.path() / "sampling_data/D_op_fp16_1_1.csv", "b,l,dur(us)\n");
    write_atomic(folder.path() / "sampling_data/D_op_fp16_1_1.jsonl", jsonl);
    return read_sweep_status(folder.path()).front();
  };
  const std::string budget = run_with(R"("samples":2,"budget":2)"),
                    listed = run_with(R"("samples":0,"budget":null)"),
                    two = sample_line(3, 10) + sample_line(6, 10);
  EXPECT_EQ(read(budget + two).samples, 2u);
  EXPECT_TRUE(read(budget + two).is_complete());
  EXPECT_TRUE(read(budget + two + listed).is_complete()) << "listed shapes are only measured again";
  EXPECT_FALSE(read(budget + sample_line(3, 10)).is_complete());
  const SweepStatus further = read(budget + two + run_with(R"("samples":8,"budget":null)"));
  EXPECT_EQ(further.samples, 8u);
  EXPECT_FALSE(further.is_complete());
}

TEST_F(Status, AFolderWithoutSamplesIsRefused) {
  EXPECT_THROW(read_sweep_status(folder_.path()), Error);
}

}  // namespace
}  // namespace kjoule
