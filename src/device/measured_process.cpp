#include "device/measured_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <utility>

#include "base/clock.hpp"
#include "base/process/descendants.hpp"
#include "base/process/start.hpp"
#include "device/device.hpp"

namespace kjoule {

namespace {

constexpr int kLookAtLimit_ms = 50;

bool is_readable(int descriptor, int milliseconds) {
  pollfd waited{descriptor, POLLIN, 0};
  return poll(&waited, 1, milliseconds) > 0;
}

}  // namespace

MeasuredProcess::MeasuredProcess(const ConnectedProcess& process, std::string name)
    : process_(process), name_(std::move(name)) {
  if (process_.pid > 0) ends_ = open_end_event(process_.pid);
}

MeasuredProcess::~MeasuredProcess() {
  if (ends_ >= 0) close(ends_);
}

bool MeasuredProcess::await_message(const std::string& operation, const Wait& wait) {
  const SteadyClock clock;
  const int64_t begin_ns = clock.now_ns();
  const auto waited = [&] { return std::chrono::nanoseconds(clock.now_ns() - begin_ns); };
  while (!has_message(operation, waited()))
    wait({socket(), ends_}, patience_.limit(operation) ? kLookAtLimit_ms : -1);
  return is_readable(socket(), 0);
}

bool MeasuredProcess::has_message(const std::string& operation, std::chrono::nanoseconds waited) {
  if (is_readable(socket(), 0)) {
    patience_.add_answer(operation, waited);
    return true;
  }
  if (ends_ >= 0 && is_readable(ends_, 0)) return true;
  const auto limit = patience_.limit(operation);
  if (limit && waited > *limit)
    throw StuckError(fmt::format("work that was replayed in {} did not end within {} s", name_,
                                 std::chrono::duration_cast<std::chrono::seconds>(*limit).count()));
  return false;
}

bool MeasuredProcess::has_ended(std::chrono::milliseconds patience) const {
  return ends_ < 0 || is_readable(ends_, static_cast<int>(patience.count()));
}

}  // namespace kjoule
