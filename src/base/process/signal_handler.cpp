#include "base/process/signal_handler.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {

namespace {

[[noreturn]] void throw_no_descriptor(int error) {
  const bool is_limit = error == EMFILE || error == ENFILE;
  throw Error(std::string("kjoule cannot receive signals: ") +
                  (is_limit ? "too many files are open" : std::strerror(error)),
              is_limit ? "lift the limit (ulimit -n)" : "");
}

constexpr auto kLongestStep = std::chrono::seconds(1);
constexpr auto kUntilTaken = std::chrono::milliseconds(1);

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

/// A thread that waits for the signals. They are blocked in this thread and in all threads started later.
class SignalThread {
 public:
  /// `handle` is called to read one signal from the descriptor `signals` and to call its action.
  explicit SignalThread(std::function<void(int signals)> handle)
      : handle_(std::move(handle)), ending_(ending_signals()) {
    signals_ = signalfd(-1, &ending_, SFD_CLOEXEC | SFD_NONBLOCK);
    stop_ = eventfd(0, EFD_CLOEXEC);
    if (signals_ < 0 || stop_ < 0) throw_no_descriptor(errno);
    pthread_sigmask(SIG_BLOCK, &ending_, &before_);
    thread_ = std::thread([this] { wait_for_signals(); });
  }
  ~SignalThread() {
    eventfd_write(stop_, 1);
    thread_.join();
    close(signals_);
    close(stop_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

  const sigset_t& blocked_before() const { return before_; }
  /// Returns whether a signal has arrived that was not handled yet.
  bool has_signal() const {
    sigset_t come;
    sigpending(&come);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      if (sigismember(&come, signal) == 1 && sigismember(&ending_, signal) == 1) return true;
    return false;
  }

 private:
  void wait_for_signals() {
    while (true) {
      std::array<pollfd, 2> waited{pollfd{signals_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
      if (poll(waited.data(), waited.size(), -1) < 0) continue;
      if ((waited[0].revents & POLLIN) != 0)
        handle_(signals_);
      else if (waited[1].revents != 0)
        return;
    }
  }

  std::function<void(int signals)> handle_;
  sigset_t ending_{};
  sigset_t before_{};
  int signals_ = -1;
  int stop_ = -1;
  std::thread thread_;
};

/// The state that all SignalHandlers of this process share.
struct Handling {
  std::recursive_timed_mutex mutex;  ///< protects the actions; locked during an action and during a step
  std::vector<std::pair<const SignalHandler*, SignalHandler::Action>> actions;
  std::optional<SignalThread> thread;
  std::atomic<bool> is_active = false;
};

Handling& handling() {
  static auto* all = new Handling;  // an action may end the process while it is exiting
  return *all;
}

/// Number of steps and actions that this thread is in.
thread_local int depth = 0;

void handle_signal(int signals) {
  Handling& all = handling();
  // The wait is limited so that a step that does not end, for example because nobody reads the output, does
  // not prevent the action. The limit uses the system clock, because ThreadSanitizer supports no other clock
  // here.
  const std::unique_lock lock(all.mutex, std::chrono::system_clock::now() + kLongestStep);
  signalfd_siginfo signal{};
  if (read(signals, &signal, sizeof signal) != sizeof signal || all.actions.empty()) return;
  ++depth;
  all.actions.back().second(static_cast<int>(signal.ssi_signo), signal.ssi_code == SI_KERNEL);
  --depth;
}

}  // namespace

SignalHandler::SignalHandler(Action action) {
  Handling& all = handling();
  const std::lock_guard lock(all.mutex);
  all.actions.emplace_back(this, std::move(action));
  if (!all.thread) all.thread.emplace(handle_signal);
  all.is_active = true;
}

SignalHandler::~SignalHandler() {
  Handling& all = handling();
  std::unique_lock lock(all.mutex);
  std::erase_if(all.actions, [this](const auto& action) { return action.first == this; });
  if (!all.actions.empty()) return;
  all.is_active = false;
  lock.unlock();
  all.thread.reset();
}

void SignalHandler::replace(Action action) {
  Handling& all = handling();
  const std::lock_guard lock(all.mutex);
  for (auto& [handler, its] : all.actions)
    if (handler == this) its = std::move(action);
}

UninterruptedStep::UninterruptedStep() : is_active_(handling().is_active) {
  if (!is_active_) return;
  while (depth == 0 && handling().thread->has_signal()) std::this_thread::sleep_for(kUntilTaken);
  handling().mutex.lock();
  ++depth;
}

UninterruptedStep::~UninterruptedStep() {
  if (!is_active_) return;
  --depth;
  handling().mutex.unlock();
}

const sigset_t* signals_blocked_before() {
  return handling().is_active ? &handling().thread->blocked_before() : nullptr;
}

void end_by_signal(int signal) {
  remove_temporary_folders();
  std::signal(signal, SIG_DFL);
  sigset_t it;
  sigemptyset(&it);
  sigaddset(&it, signal);
  pthread_sigmask(SIG_UNBLOCK, &it, nullptr);
  raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace kjoule
