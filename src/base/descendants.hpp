#pragma once
#include <sys/types.h>

#include <chrono>
#include <vector>

namespace kjoule {

/// From now on a process whose parent ended counts as this one's child, so that no descendant is lost sight
/// of: not by double forks, and not by setsid (torchrun gives each worker a session of its own).
void adopt_orphans();
/// Those processes that this one started, directly or not, and that have not ended.
std::vector<pid_t> running_descendants();
/// Sends all of them a signal, except `spared`.
void tell_descendants(int signal, pid_t spared = 0);
/// Gives all descendants `patience` to end by themselves, then SIGTERM, then 2 s, then SIGKILL.
/// Reaps none: safe on any thread.
void end_descendants(std::chrono::milliseconds patience);

}  // namespace kjoule
