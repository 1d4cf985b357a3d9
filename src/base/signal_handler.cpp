#include "base/signal_handler.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"

namespace kjoule {

namespace {

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

}  // namespace

SignalHandler::SignalHandler(Action action) : action_(std::move(action)) {
  const sigset_t signals = ending_signals();
  signals_ = signalfd(-1, &signals, SFD_CLOEXEC);
  stop_ = eventfd(0, EFD_CLOEXEC);
  if (signals_ < 0 || stop_ < 0) throw Error(std::string("no signalfd: ") + std::strerror(errno));
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  thread_ = std::thread([this] { wait_for_signals(); });
}

SignalHandler::~SignalHandler() {
  eventfd_write(stop_, 1);
  thread_.join();
  close(signals_);
  close(stop_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalHandler::replace(Action action) {
  const std::lock_guard lock(mutex_);
  action_ = std::move(action);
}

void SignalHandler::wait_for_signals() {
  while (true) {
    std::array<pollfd, 2> waited{pollfd{signals_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
    if (poll(waited.data(), waited.size(), -1) < 0) continue;
    if ((waited[0].revents & POLLIN) != 0) {
      signalfd_siginfo signal{};
      if (read(signals_, &signal, sizeof signal) != sizeof signal) continue;
      const std::lock_guard lock(mutex_);
      action_(static_cast<int>(signal.ssi_signo), signal.ssi_code == SI_KERNEL);
    } else if (waited[1].revents != 0) {
      return;
    }
  }
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
