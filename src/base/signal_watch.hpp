#pragma once
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace kjoule {

/// While it lives, SIGINT, SIGTERM and SIGHUP do not end this process but are handed to `act`, on a thread of
/// its own. A signal that is ignored (nohup) stays so. Make it before any other thread.
class SignalWatch {
 public:
  /// The signal, and whether the terminal sent it: then the whole foreground group has got it already.
  using Act = std::function<void(int signal, bool from_terminal)>;

  explicit SignalWatch(Act act);
  /// Waits for an `act` that is under way.
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// What is done from now on.
  void replace(Act act);
  /// The signals that this thread blocked before: what a new program should block.
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

/// Ends this process as the signal would have, so that whoever started it sees the signal.
[[noreturn]] void die_of(int signal);

}  // namespace kjoule
