#include "cli/options/stop_signal.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace kjoule {

StopSignal::StopSignal()
    : asked_(eventfd(0, EFD_CLOEXEC)), signals_([this](int, bool) { eventfd_write(asked_, 1); }) {}

StopSignal::~StopSignal() {
  signals_.replace([](int, bool) {});
  close(asked_);
}

bool StopSignal::wait(double seconds) const {
  pollfd event{asked_, POLLIN, 0};
  const double rest = std::max(seconds, 0.0);
  const auto whole = static_cast<std::time_t>(rest);
  const std::timespec limit{whole, static_cast<long>((rest - static_cast<double>(whole)) * 1e9)};
  return ppoll(&event, 1, &limit, nullptr) > 0;
}

}  // namespace kjoule
