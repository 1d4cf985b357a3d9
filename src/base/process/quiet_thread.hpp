#pragma once
#include <functional>
#include <thread>

namespace kjoule {

/// Starts a thread that takes no signals which are sent to the process, for use in a program that is not
/// ours: they are meant for the program's threads, one of which may wait for them with sigwait(). Signals
/// of the thread's own faults still reach the program's handlers. Throws std::system_error if the thread
/// cannot be started.
std::thread start_quiet_thread(std::function<void()> work);

}  // namespace kjoule
