#pragma once
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace kjoule {

/// Calls `action` for SIGINT, SIGTERM and SIGHUP, on a thread of its own; these signals do not end this
/// process while the object exists. A signal that was ignored (nohup) remains ignored. Create the object
/// before any other thread.
class SignalHandler {
 public:
  /// Called with the signal, and whether the terminal sent it. The terminal sends it to the whole foreground
  /// process group.
  using Action = std::function<void(int signal, bool from_terminal)>;

  explicit SignalHandler(Action action);
  /// Waits until a call of `action` in progress has returned.
  ~SignalHandler();
  SignalHandler(const SignalHandler&) = delete;
  SignalHandler& operator=(const SignalHandler&) = delete;

  /// Replaces `action` for later signals.
  void replace(Action action);
  /// Returns the signals that this thread blocked before; a new program should block only these.
  const sigset_t& blocked_before() const { return before_; }

 private:
  void wait_for_signals();

  std::mutex mutex_;
  Action action_;
  sigset_t before_{};
  int signals_ = -1;
  int stop_ = -1;
  std::thread thread_;
};

/// Removes the temporary folders and ends this process by the signal, so that its parent can read the signal
/// from its wait status.
[[noreturn]] void end_by_signal(int signal);

}  // namespace kjoule
