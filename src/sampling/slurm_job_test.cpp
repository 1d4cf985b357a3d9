#include "sampling/slurm_job.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

// Lines of scontrol 22.05.8, without their last fields.
constexpr const char* kRunning =
    "JobId=2 ArrayJobId=1 JobState=RUNNING Reason=None Dependency=(null) Requeue=1 Restarts=1 BatchFlag=1";
constexpr const char* kCancelled =
    "JobId=2 ArrayJobId=1 JobState=COMPLETING Reason=None Dependency=(null) Requeue=1 Restarts=1 BatchFlag=1 "
    "PreemptEligibleTime=2026-11-29T10:59:10 PreemptTime=None";
constexpr const char* kAtItsLimit =
    "JobId=5 ArrayJobId=3 JobState=COMPLETING Reason=TimeLimit Dependency=(null) Requeue=1 Restarts=1";
constexpr const char* kPreempted =
    "JobId=5 ArrayJobId=3 JobState=COMPLETING Reason=None Dependency=(null) Requeue=1 Restarts=1 BatchFlag=1 "
    "PreemptEligibleTime=2026-11-29T10:59:10 PreemptTime=2026-11-29T11:02:40";
constexpr const char* kRequeued =
    "JobId=3 ArrayJobId=1 JobState=COMPLETING Reason=None Dependency=(null) Requeue=1 Restarts=2 BatchFlag=1";
constexpr const char* kOnAnotherNode =
    "JobId=3 ArrayJobId=1 JobState=RUNNING Reason=None Dependency=(null) Requeue=1 Restarts=2 BatchFlag=1";

TEST(SlurmJob, IsRequeuedIfItRunsOrReachedItsTimeLimit) {
  EXPECT_EQ(read_job_end(kRunning, 1), JobEnd::still_running);
  EXPECT_EQ(read_job_end(kAtItsLimit, 1), JobEnd::time_limit);
}

TEST(SlurmJob, IsNotRequeuedIfSlurmEndsIt) {
  EXPECT_EQ(read_job_end(kCancelled, 1), JobEnd::cancelled);
  EXPECT_EQ(read_job_end(kPreempted, 1), JobEnd::preempted);
  EXPECT_EQ(read_job_end("", 1), JobEnd::cancelled);
}

TEST(SlurmJob, IsNotRequeuedTwice) {
  EXPECT_EQ(read_job_end(kRequeued, 1), JobEnd::requeued);
  EXPECT_EQ(read_job_end(kOnAnotherNode, 1), JobEnd::requeued);
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
