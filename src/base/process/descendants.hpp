#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace kjoule {

/// Makes this process the parent of every descendant whose own parent ends. So the functions below find every
/// descendant, even after double forks or in another session (torchrun starts each worker in its own
/// session).
void adopt_orphans();
/// Excludes `child`, a child of this process, from the results and actions of the functions below. It is
/// called for the guardian.
void leave_out_of_descendants(pid_t child);
/// Returns the processes that this process started, directly or indirectly, and that have not ended.
std::vector<pid_t> running_descendants();
/// Returns the running processes in whose initial environment the variable `name` has this value, and all
/// their descendants. Processes of other users are not found.
std::vector<pid_t> running_with_variable(const std::string& name, const std::string& value);
/// Sends a signal to all running descendants except `spared`.
void signal_descendants(int signal, pid_t spared = 0);
/// Ends all descendants: waits up to `patience` for them to end, then sends SIGTERM, and SIGKILL 2 s later.
/// The descendants are not reaped, so that any thread may call this function.
void end_descendants(std::chrono::milliseconds patience);
/// Ends the processes that `list` returns, as end_descendants() does.
void end_processes(const std::function<std::vector<pid_t>()>& list, std::chrono::milliseconds patience);

}  // namespace kjoule
