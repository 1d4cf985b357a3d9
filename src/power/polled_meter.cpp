#include "power/polled_meter.hpp"

#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace kjoule {

namespace {

/// Between polls; NVML's own calls take longer.
constexpr std::chrono::microseconds kPause{500};

class PolledMeter final : public Meter {
 public:
  explicit PolledMeter(std::unique_ptr<Meter> meter)
      : Meter(meter->facts()),
        meter_(std::move(meter)),
        thread_([this](const std::stop_token& stop) { poll(stop); }) {}

  std::optional<DeviceState> state() override {
    const std::lock_guard lock(mutex_);
    return state_;
  }

 private:
  std::vector<Reading> fetch() override {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    // as this meter's own: without the name that stands before them
    for (const std::string& text : std::exchange(told_, {})) note_once(text.substr(facts().name.size() + 2));
    return std::exchange(readings_, {});
  }

  void poll(const std::stop_token& stop) {
    constexpr int kPollsPerState = 20;
    for (int polls = 0; !stop.stop_requested(); ++polls) {
      try {
        std::vector<Reading> readings = meter_->read();
        std::vector<std::string> notes = meter_->take_notes();
        std::optional<DeviceState> state;
        if (polls % kPollsPerState == 0) state = meter_->state();
        const std::lock_guard lock(mutex_);
        readings_.insert(readings_.end(), readings.begin(), readings.end());
        told_.insert(told_.end(), notes.begin(), notes.end());
        if (state) state_ = state;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        return;
      }
      std::this_thread::sleep_for(kPause);
    }
  }

  std::unique_ptr<Meter> meter_;
  std::mutex mutex_;
  std::vector<Reading> readings_;
  std::vector<std::string> told_;
  std::optional<DeviceState> state_;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<Meter> polled(std::unique_ptr<Meter> meter) {
  return std::make_unique<PolledMeter>(std::move(meter));
}

}  // namespace kjoule
