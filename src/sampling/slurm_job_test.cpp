#include "sampling/slurm_job.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

// Lines of scontrol 22.05.8, without their last fields.
constexpr const char* kRunning =
    "JobId=2 ArrayJobId=1 JobState=RUNNING Reason=None Dependency=(null) Requeue=1";
constexpr const char* kCancelled = "JobId=4 ArrayJobId=3 JobState=COMPLETING Reason=None Dependency=(null)";
constexpr const char* kAtItsLimit =
    "JobId=5 ArrayJobId=3 JobState=COMPLETING Reason=TimeLimit Dependency=(null)";

TEST(SlurmJob, IsRequeuedIfItRunsOrReachedItsTimeLimit) {
  EXPECT_EQ(read_job_end(kRunning), JobEnd::still_running);
  EXPECT_EQ(read_job_end(kAtItsLimit), JobEnd::time_limit);
  EXPECT_EQ(read_job_end(kCancelled), JobEnd::other);
  EXPECT_EQ(read_job_end(""), JobEnd::other);
}

TEST(SlurmJob, EndsWithACodeThatTheSiteRequeues) {
  EXPECT_EQ(read_requeue_exit("RebootProgram           = (null)\nRequeueExit             = 99\n"), 99);
  EXPECT_EQ(read_requeue_exit("RequeueExit             = 14,99\n"), 14);
  EXPECT_EQ(read_requeue_exit("RequeueExit             = (null)\nRequeueExitHold = 7\n"), std::nullopt);
}

TEST(SlurmJob, IsNamedByTheEnvironment) {
  setenv("SLURM_JOB_ID", "17", 1);
  setenv("SLURM_RESTART_COUNT", "3", 1);
  const auto job = SlurmJob::of_this_process();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->id(), "17");
  EXPECT_EQ(job->restarts(), 3);
  unsetenv("SLURM_JOB_ID");
  EXPECT_FALSE(SlurmJob::of_this_process());
  unsetenv("SLURM_RESTART_COUNT");
}

}  // namespace
}  // namespace kjoule
