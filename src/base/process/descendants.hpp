#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace kjoule {

/// Makes this process the parent of every descendant whose parent ends. So no descendant is lost, even after
/// double forks or in another session (torchrun starts each worker in its own session).
void adopt_orphans();
/// Excludes a child of this process, the guardian, from the results and actions of the functions below.
void leave_out_of_descendants(pid_t child);
/// Returns the processes that this process started, directly or indirectly, and that have not ended.
std::vector<pid_t> running_descendants();
/// Returns the running processes that were started with the environment variable `name` of this value, and
/// all their descendants. Processes of other users are not found.
std::vector<pid_t> running_with_variable(const std::string& name, const std::string& value);
/// Sends a signal to all running descendants except `spared`.
void signal_descendants(int signal, pid_t spared = 0);
/// Ends all descendants: waits up to `patience` for them to end, then sends SIGTERM, and SIGKILL 2 s later.
/// It does not reap them, so it may be called on any thread.
void end_descendants(std::chrono::milliseconds patience);
/// Ends the processes that `list` returns, as end_descendants() does.
void end_processes(const std::function<std::vector<pid_t>()>& list, std::chrono::milliseconds patience);

}  // namespace kjoule
