#pragma once
#include <functional>
#include <thread>

namespace kjoule {

/// Starts a thread in which all signals are blocked except those of the thread's own faults, which still
/// reach the program's handlers. It is for use in a user's program: signals to the process are meant for the
/// program's threads, one of which may wait for them with sigwait(). Throws std::system_error if the thread
/// cannot be started.
std::thread start_quiet_thread(std::function<void()> work);

}  // namespace kjoule
