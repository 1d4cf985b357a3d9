#include "power/meters/polled_meter.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <thread>
#include <utility>

#include "base/process/mutex.hpp"

namespace kjoule {

namespace {

/// Time between polls of a counter; it is short, because the time of each change of the counter is needed.
constexpr double kPause_s = 0.0005;

/// Time between queries of the device's state; it is long, because a query delays the next poll.
constexpr std::chrono::milliseconds kStateEvery{300};

/// Share of a sensor interval by which a reading's time may be late if it is the time of a poll.
constexpr double kLateness = 0.01;

/// Returns the time between polls in seconds. Most power readings have timestamps of the sensor, so it is
/// useless to poll them more often than they change, and would delay a counter that is read through the same
/// library.
double pause_s(const MeterFacts& facts) {
  if (facts.stamped_on_arrival) return std::max(kPause_s, kLateness * facts.tick_s);
  return facts.quantity == Quantity::energy_j ? kPause_s : std::max(kPause_s, facts.tick_s);
}

class PolledMeter final : public Meter {
 public:
  PolledMeter(std::unique_ptr<Meter> meter, double least_pause_s)
      : Meter(meter->facts()),
        meter_(std::move(meter)),
        pause_s_(std::max(least_pause_s, pause_s(facts()))),
        thread_([this](const std::stop_token& stop) { poll(stop); }) {}

  std::optional<DeviceState> state() override {
    const MutexLock lock(mutex_);
    return state_;
  }

 private:
  std::vector<MeterValue> fetch() override {
    const MutexLock lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    pass_on(std::exchange(notes_, {}));
    return std::exchange(readings_, {});
  }

  void poll(const std::stop_token& stop) {
    using Time = std::chrono::steady_clock;
    Time::time_point state_due = Time::now();
    while (!stop.stop_requested()) {
      try {
        std::vector<MeterValue> readings = meter_->read();
        std::vector<std::string> notes = meter_->take_notes();
        std::optional<DeviceState> state;
        if (Time::now() >= state_due) {
          state = meter_->state();
          state_due = Time::now() + kStateEvery;
        }
        const MutexLock lock(mutex_);
        readings_.insert(readings_.end(), readings.begin(), readings.end());
        notes_.insert(notes_.end(), notes.begin(), notes.end());
        if (state) state_ = state;
      } catch (...) {
        const MutexLock lock(mutex_);
        failure_ = std::current_exception();
        return;
      }
      wait(stop);
    }
  }

  /// Waits for the pause between two polls, or until the meter is closed.
  void wait(const std::stop_token& stop) {
    MutexLock lock(mutex_);
    const auto pause = std::chrono::nanoseconds(std::llround(pause_s_ * 1e9));
    pause_.wait_for(lock.to_wait(), stop, pause, [] { return false; });
  }

  std::unique_ptr<Meter> meter_;
  double pause_s_;
  Mutex mutex_;
  std::vector<MeterValue> readings_ KJOULE_GUARDED_BY(mutex_);
  std::vector<std::string> notes_ KJOULE_GUARDED_BY(mutex_);
  std::optional<DeviceState> state_ KJOULE_GUARDED_BY(mutex_);
  std::exception_ptr failure_ KJOULE_GUARDED_BY(mutex_);
  std::condition_variable_any pause_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<Meter> make_polled_meter(std::unique_ptr<Meter> meter, double least_pause_s) {
  return std::make_unique<PolledMeter>(std::move(meter), least_pause_s);
}

}  // namespace kjoule
