#pragma once
#include <csignal>
#include <functional>

namespace kjoule {

/// Calls `action` for SIGINT, SIGTERM and SIGHUP, on a thread that all objects share; these signals do not
/// end this process while an object exists. If several objects exist, only the action of the newest is
/// called. A signal that was ignored (nohup) remains ignored. Create the first object before any thread is
/// started.
class SignalHandler {
 public:
  /// `from_terminal` states whether the terminal sent the signal. If true, all processes of the foreground
  /// process group have received the signal.
  using Action = std::function<void(int signal, bool from_terminal)>;

  explicit SignalHandler(Action action);
  /// Waits until an action in progress has returned.
  ~SignalHandler();
  SignalHandler(const SignalHandler&) = delete;
  SignalHandler& operator=(const SignalHandler&) = delete;

  /// Replaces `action` for later signals.
  void replace(Action action);
};

/// A step that signals do not interrupt: while an object exists, the action for a signal waits, but at most 1
/// s. If a signal has already arrived, the constructor waits until its action has returned. So this process
/// does not report a consequence of the signal, such as the end of a child in the same process group, before
/// the action runs. Objects may be nested.
class UninterruptedStep {
 public:
  UninterruptedStep();
  ~UninterruptedStep();
  UninterruptedStep(const UninterruptedStep&) = delete;
  UninterruptedStep& operator=(const UninterruptedStep&) = delete;

 private:
  bool is_active_;  ///< whether this process handles signals
};

/// Returns the signals that were blocked before the first SignalHandler was created, which are those that a
/// new program should block. Null if there is no SignalHandler.
const sigset_t* signals_blocked_before();

/// Removes the temporary folders and ends this process by the signal, so that its parent can read the signal
/// from its wait status.
[[noreturn]] void end_by_signal(int signal);

}  // namespace kjoule
