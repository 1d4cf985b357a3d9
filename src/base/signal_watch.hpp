#pragma once
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace kjoule {

/// Calls `act` for SIGINT, SIGTERM and SIGHUP, on a thread of its own; these signals do not end this process
/// while the object exists. A signal that was ignored (nohup) remains ignored. Create the object before any
/// other thread.
class SignalWatch {
 public:
  /// Called with the signal, and whether the terminal sent it. The terminal sends it to the whole foreground
  /// process group.
  using Act = std::function<void(int signal, bool from_terminal)>;

  explicit SignalWatch(Act act);
  /// Waits until a call of `act` in progress has returned.
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Replaces `act` for later signals.
  void replace(Act act);
  /// Returns the signals that this thread blocked before; a new program should block only these.
  const sigset_t& blocked_before() const { return before_; }

 private:
  void watch();

  std::mutex mutex_;
  Act act_;
  sigset_t before_{};
  int signals_ = -1;
  int stop_ = -1;
  std::thread thread_;
};

/// Ends this process by the signal, so that its parent sees the signal.
[[noreturn]] void die_of(int signal);

}  // namespace kjoule
