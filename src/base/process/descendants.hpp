#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace kjoule {

/// Makes this process adopt every descendant whose parent ends, so that no descendant is lost, neither by
/// double forks nor by setsid (torchrun starts each worker in its own session).
void adopt_orphans();
/// Makes the functions below leave this child of this process out: the guardian.
void leave_out_of_descendants(pid_t child);
/// Returns the processes that this process started, directly or indirectly, and that have not ended.
std::vector<pid_t> running_descendants();
/// Returns the running processes that have the variable `name` with this value in the environment that they
/// were started with, and all their descendants. Processes of other users are not seen.
std::vector<pid_t> running_with_variable(const std::string& name, const std::string& value);
/// Sends a signal to all running descendants except `spared`.
void signal_descendants(int signal, pid_t spared = 0);
/// Ends all descendants: waits for `patience`, then sends SIGTERM, and SIGKILL 2 s later. Does not reap them,
/// so it may be called on any thread.
void end_descendants(std::chrono::milliseconds patience);
/// Ends the processes that `list` returns, as end_descendants() does.
void end_processes(const std::function<std::vector<pid_t>()>& list, std::chrono::milliseconds patience);

}  // namespace kjoule
