#pragma once
#include <sys/types.h>

#include <chrono>
#include <vector>

namespace kjoule {

/// Makes this process adopt every descendant whose parent ends, so that no descendant is lost, neither by
/// double forks nor by setsid (torchrun starts each worker in its own session).
void adopt_orphans();
/// Returns the processes that this process started, directly or indirectly, and that have not ended.
std::vector<pid_t> running_descendants();
/// Sends a signal to all running descendants except `spared`.
void signal_descendants(int signal, pid_t spared = 0);
/// Ends all descendants: waits for `patience`, then sends SIGTERM, and SIGKILL 2 s later. Does not reap them,
/// so it may be called on any thread.
void end_descendants(std::chrono::milliseconds patience);

}  // namespace kjoule
