#include "base/files/truncation_guard.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>

#include "base/error.hpp"

namespace kjoule {

namespace {

struct GuardedMapping {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::string line;  ///< the error message, which a signal handler must not allocate
};
GuardedMapping guarded;

void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const auto* const at = static_cast<const char*>(info->si_addr);
  const std::less<const char*> before;
  if (before(at, guarded.begin) || !before(at, guarded.end)) {
    std::signal(signal, SIG_DFL);  // the failed access is repeated and ends this process
    return;
  }
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, guarded.line.data(), guarded.line.size());
  std::_Exit(1);
}

}  // namespace

void guard_against_truncation(const char* mapped, size_t size, const std::string& file) {
  const Error error(file + ": another process shortened the file while kjoule read it",
                    "repeat the command when the file is complete");
  guarded = {mapped, mapped + size, fmt::format("kjoule: {}\n", error.line())};
  struct sigaction act {};
  act.sa_sigaction = on_bus_error;
  act.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &act, nullptr);
}

void end_truncation_guard(const char* mapped) {
  if (guarded.begin == mapped) guarded = {};
}

}  // namespace kjoule
