#include "sampling/slurm_job.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <regex>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/process/environment_variable.hpp"
#include "base/process/process.hpp"

namespace kjoule {

namespace {

/// Time limit of one call of scontrol. Slurm kills a job 30 s after SIGTERM by default (KillWait).
constexpr double kLongestCall_s = 10;
/// Number of starts of a job that may complete no row, for example because of preemption.
constexpr int kStartsWithoutRow = 3;

/// Runs scontrol and returns its output; nothing if it cannot be run or fails.
std::optional<std::string> run_scontrol(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "scontrol");
  try {
    const ProgramOutput output = read_program(arguments, kLongestCall_s);
    if (output.exit_code == 0) return output.text;
  } catch (const Error&) {
    return {};  // scontrol is not installed
  }
  return {};
}

std::optional<std::string> first_group(const std::string& text, const char* expression) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex(expression))) return {};
  return found[1];
}

}  // namespace

std::optional<SlurmJob> SlurmJob::of_this_process() {
  const std::string id = environment_variable("SLURM_JOB_ID");
  if (id.empty()) return {};
  return SlurmJob(id, std::atoi(environment_variable("SLURM_RESTART_COUNT").c_str()));
}

LastStep SlurmJob::requeue() const {
  const auto shown = run_scontrol({"--oneliner", "show", "job", id_});
  const JobEnd end = shown ? read_job_end(*shown, restarts_) : JobEnd::still_running;
  if (end == JobEnd::requeued) return {"; Slurm has requeued the job, which will continue", {}};
  if (end == JobEnd::preempted)
    return {"; Slurm preempted the job without requeueing it: submit the script again to continue", {}};
  if (end == JobEnd::cancelled) return {"; the job was cancelled: submit the script again to continue", {}};
  if (run_scontrol({"requeue", id_})) return {"; the job was requeued and will continue", {}};
  const auto config = run_scontrol({"show", "config"});
  const auto code = config ? read_requeue_exit(*config) : std::nullopt;
  if (code) return {"; Slurm requeues the job because of its exit code", code};
  return {"; Slurm did not requeue the job: submit the script again to continue", {}};
}

RequeuedJob::RequeuedJob(const SlurmJob& job)
    : job_(job), rows_(std::make_shared<std::atomic<size_t>>(0)), step_([job, rows = rows_]() -> LastStep {
        if (*rows == 0 && job.restarts() >= kStartsWithoutRow)
          return {
              "; the job was not requeued, because it completed no sample since its last start: raise its "
              "time limit",
              {}};
        return job.requeue();
      }) {}

JobEnd read_job_end(const std::string& shown, int restarts) {
  // A job that is ending is shown as COMPLETING, whatever ended it. If Slurm requeues it, the next start is
  // already counted. A process that is left on a lost node may even see the next start running.
  const auto starts = first_group(shown, "Restarts=([0-9]{1,9})\\b");
  if (starts && std::stoi(*starts) > restarts) return JobEnd::requeued;
  const std::string state = first_group(shown, "JobState=([A-Z_]+)").value_or("");
  if (state == "RUNNING") return JobEnd::still_running;
  const std::string reason = first_group(shown, "\\bReason=(\\w+)").value_or("");
  if (state == "TIMEOUT" || reason == "TimeLimit") return JobEnd::time_limit;
  return first_group(shown, "PreemptTime=([0-9]\\S*)") ? JobEnd::preempted : JobEnd::cancelled;
}

std::optional<int> read_requeue_exit(const std::string& shown) {
  const auto code = first_group(shown, "(?:^|\n)RequeueExit\\s*=\\s*([0-9]{1,3})");
  if (!code) return {};
  return std::stoi(*code);
}

std::string node_name() {
  std::string name = environment_variable("SLURMD_NODENAME");
  if (!name.empty()) return name;
  std::array<char, 256> host{};
  return gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "unknown";
}

}  // namespace kjoule
