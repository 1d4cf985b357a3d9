#include "base/process/quiet_thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>

namespace kjoule {
namespace {

sigset_t blocked_here() {
  sigset_t signals;
  pthread_sigmask(SIG_BLOCK, nullptr, &signals);
  return signals;
}

TEST(QuietThread, BlocksSignalsOfTheProcess) {
  sigset_t blocked{};
  start_quiet_thread([&] { blocked = blocked_here(); }).join();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGCHLD, SIGPROF, SIGPIPE, SIGXFSZ})
    EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
}

TEST(QuietThread, LeavesSignalsOfFaults) {
  sigset_t blocked{};
  start_quiet_thread([&] { blocked = blocked_here(); }).join();
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    EXPECT_EQ(sigismember(&blocked, fault), 0) << fault;
}

TEST(QuietThread, RestoresTheSignalsOfItsCreator) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &one, nullptr);
  start_quiet_thread([] {}).join();
  const sigset_t blocked = blocked_here();
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  EXPECT_EQ(sigismember(&blocked, SIGUSR1), 1);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 0);
}

}  // namespace
}  // namespace kjoule
