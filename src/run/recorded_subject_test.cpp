#include "run/recorded_subject.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

Recording made_from(const nlohmann::json& asked) {
  Recording recording;
  recording.program = {{"asked", asked}};
  return recording;
}

/// Returns the options after take_recorded_options(), or its error.
std::string error_of(const Recording& recording, SubjectOptions options = {}) {
  options.recording = "r";
  try {
    take_recorded_options(recording, options);
  } catch (const Error& error) {
    return error.line();
  }
  return "none";
}

const Recording kProgram = made_from(
    {{"program", {"touch", "mark"}},
     {"injection",
      {{"KJOULE_RANGE", "step"}, {"KJOULE_RUN_LOG", "/etc"}, {"KJOULE_SOCKET", "s"}, {"KJOULE_RANK", "2"}}}});
const Recording kModel = made_from({{"model", "m.pt"},
                                    {"device", "cpu"},
                                    {"seed", 3},
                                    {"threads", 1},
                                    {"inputs", {"float32:1x2"}},
                                    {"batch", 4}});

TEST(RecordedSubject, NamesItsCode) {
  EXPECT_EQ(recorded_code(kProgram, "r").program, (std::vector<std::string>{"touch", "mark"}));
  EXPECT_EQ(recorded_code(kModel, "r").model, "m.pt");
}

TEST(RecordedSubject, DoesNotSupplyCode) {
  EXPECT_EQ(error_of(kProgram),
            "r: the program in this recording was not started, because a file must not start programs by "
            "itself; give it after "
            "-- PROGRAM, or confirm it with --run-recorded");
  EXPECT_EQ(error_of(kModel),
            "r: the model in this recording was not started, because a file must not start programs by "
            "itself; give it after "
            "--model M.pt, or confirm it with --run-recorded");
}

TEST(RecordedSubject, SuppliesOptionsThatWereNotGiven) {
  SubjectOptions options;
  options.model = "moved.pt";
  options.seed = 7;
  take_recorded_options(kModel, options);
  EXPECT_EQ(options.model, "moved.pt");
  EXPECT_EQ(options.seed, 7u);
  EXPECT_EQ(options.device, "cpu");
  EXPECT_EQ(options.threads, 1);
  EXPECT_EQ(options.batch, 4);
  EXPECT_EQ(options.inputs, std::vector<std::string>{"float32:1x2"});
}

TEST(RecordedSubject, NamesNoSocketAndNoFolder) {
  SubjectOptions options;
  options.program = {"mine"};
  options.injection.socket = "own";
  options.injection.rank = 1;
  take_recorded_options(kProgram, options);
  EXPECT_EQ(options.program, std::vector<std::string>{"mine"});
  EXPECT_EQ(options.injection.nvtx_range, "step");
  EXPECT_EQ(options.injection.socket, "own");
  EXPECT_EQ(options.injection.run_log, "");
  EXPECT_EQ(options.injection.rank, 1);
}

TEST(RecordedSubject, NeedsNoCodeOnASimulatedDevice) {
  EXPECT_EQ(error_of(made_from({{"model", ""}, {"device", "simulated:seed=1"}, {"seed", 0}})), "none");
}

TEST(RecordedSubject, ReportsWhatKjouleDoesNotWrite) {
  EXPECT_EQ(error_of(Recording()),
            "r: does not contain the program or model from which it was recorded; record it again with "
            "kjoule record");
  EXPECT_EQ(error_of(made_from({{"kernels", "t"}})),
            "r: this recording was made from a kernel table, not from a program or model; give the kernel "
            "table with --kernels");
  for (const nlohmann::json& asked :
       {nlohmann::json{{"program", "sh -c x"}}, nlohmann::json{{"program", {1, 2}}}})
    EXPECT_EQ(error_of(made_from(asked)),
              "r: program.asked.program has a type that kjoule does not write; record the program or model "
              "again with kjoule record");
  SubjectOptions options;
  options.model = "m";
  EXPECT_EQ(error_of(made_from({{"model", "m"}, {"threads", "many"}}), options),
            "r: program.asked.threads has a type that kjoule does not write; record the program or model "
            "again with kjoule record");
}

}  // namespace
}  // namespace kjoule
