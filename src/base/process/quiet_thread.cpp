#include "base/process/quiet_thread.hpp"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace kjoule {
namespace {

/// While an object exists, signals are blocked in the calling thread. Threads that are started meanwhile keep
/// them blocked.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t signals;
    sigfillset(&signals);
    // These are not blocked: the kernel ends a process with a blocked fault signal without calling a handler.
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&signals, fault);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::thread start_quiet_thread(std::function<void()> work) {
  const BlockedSignals blocked;
  return std::thread(std::move(work));
}

}  // namespace kjoule
