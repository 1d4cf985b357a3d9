#pragma once
#include <csignal>
#include <functional>

namespace kjoule {

/// Calls `action` for SIGINT, SIGTERM and SIGHUP, on a thread that all objects share; these signals do not
/// end this process while an object exists. Of several objects, the last one that was made acts. A signal
/// that was ignored (nohup) remains ignored. Create the first object before any other thread.
class SignalHandler {
 public:
  /// Called with the signal, and whether the terminal sent it. The terminal sends it to the whole foreground
  /// process group.
  using Action = std::function<void(int signal, bool from_terminal)>;

  explicit SignalHandler(Action action);
  /// Waits until an action in progress has returned.
  ~SignalHandler();
  SignalHandler(const SignalHandler&) = delete;
  SignalHandler& operator=(const SignalHandler&) = delete;

  /// Replaces `action` for later signals.
  void replace(Action action);
};

/// A step that signals wait for: no action begins while an object exists, and an object that is made when a
/// signal has come waits until its action has returned. So nothing that happens because of the signal, such
/// as the end of a child in the same process group, is written or printed before the action. Objects may be
/// nested. A step that takes longer than a second is not waited for.
class UninterruptedStep {
 public:
  UninterruptedStep();
  ~UninterruptedStep();
  UninterruptedStep(const UninterruptedStep&) = delete;
  UninterruptedStep& operator=(const UninterruptedStep&) = delete;

 private:
  bool is_active_;  ///< whether this process handles signals
};

/// Returns the signals that were blocked before the first SignalHandler; a new program should block only
/// these. Null without a SignalHandler.
const sigset_t* signals_blocked_before();

/// Removes the temporary folders and ends this process by the signal, so that its parent can read the signal
/// from its wait status.
[[noreturn]] void end_by_signal(int signal);

}  // namespace kjoule
