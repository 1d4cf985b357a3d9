#include "base/signal_watch.hpp"

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

SignalWatch::SignalWatch(Act act) : act_(std::move(act)) {
  const sigset_t signals = ending_signals();
  signals_ = signalfd(-1, &signals, SFD_CLOEXEC);
  stop_ = eventfd(0, EFD_CLOEXEC);
  if (signals_ < 0 || stop_ < 0) throw Error(std::string("no signalfd: ") + std::strerror(errno));
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
  eventfd_write(stop_, 1);
  thread_.join();
  close(signals_);
  close(stop_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalWatch::replace(Act act) {
  const std::lock_guard lock(mutex_);
  act_ = std::move(act);
}

void SignalWatch::watch() {
  while (true) {
    std::array<pollfd, 2> waited{pollfd{signals_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
    if (poll(waited.data(), waited.size(), -1) < 0) continue;
    if ((waited[0].revents & POLLIN) != 0) {
      signalfd_siginfo signal{};
      if (read(signals_, &signal, sizeof signal) != sizeof signal) continue;
      const std::lock_guard lock(mutex_);
      act_(static_cast<int>(signal.ssi_signo), signal.ssi_code == SI_KERNEL);
    } else if (waited[1].revents != 0) {
      return;
    }
  }
}

void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t it;
  sigemptyset(&it);
  sigaddset(&it, signal);
  pthread_sigmask(SIG_UNBLOCK, &it, nullptr);
  raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace kjoule
