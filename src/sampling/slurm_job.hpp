#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "base/process/interruption.hpp"

namespace kjoule {

/// The job of Slurm in which this process runs.
class SlurmJob {
 public:
  /// Returns the job that the environment names; nothing if this process runs in no job.
  static std::optional<SlurmJob> of_this_process();
  /// The job with the number `id`, which Slurm has started again `restarts` times.
  SlurmJob(std::string id, int restarts) : id_(std::move(id)), restarts_(restarts) {}

  const std::string& id() const { return id_; }
  int restarts() const { return restarts_; }

  /// Asks Slurm to run the job again, after a signal of Slurm: before the job's time limit, at this limit, or
  /// for a job of higher priority. A job that was cancelled is not requeued, nor one that somebody else
  /// already requeues. If Slurm refuses, but requeues jobs with certain exit codes (RequeueExit), the result
  /// has such a code.
  LastStep requeue() const;

 private:
  std::string id_;
  int restarts_;
};

/// While an object exists, a signal that interrupts this process also requeues its job of Slurm. A job that
/// has been restarted several times is only requeued if it completed a row since its last start. So a job
/// whose time limit is too short for one row does not run for ever.
class RequeuedJob {
 public:
  explicit RequeuedJob(const SlurmJob& job);
  const SlurmJob& job() const { return job_; }
  void count_row() { ++*rows_; }

 private:
  SlurmJob job_;
  std::shared_ptr<std::atomic<size_t>> rows_;  ///< number of rows since the job was last started
  InterruptionStep step_;
};

/// What Slurm did with a job that it sent a signal, as `scontrol show job` states it.
enum class JobEnd {
  still_running,  ///< the job has a grace time
  time_limit,     ///< the job reached its time limit
  requeued,       ///< Slurm itself starts the job again: it was preempted or requeued, or its node was lost
  preempted,      ///< another job took its place, and Slurm does not start it again
  cancelled
};
/// Returns the end that a line of `scontrol --oneliner show job` states for a job that has been started
/// again `restarts` times so far.
JobEnd read_job_end(const std::string& shown, int restarts);
/// Returns the first exit code with which jobs are requeued, from the output of `scontrol show config`;
/// nothing if there is none.
std::optional<int> read_requeue_exit(const std::string& shown);

/// Returns the name of this machine: that of Slurm's node in a job, otherwise the host name.
std::string node_name();

}  // namespace kjoule
