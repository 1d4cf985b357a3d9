#include "torch/stopwatches.hpp"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "torch/spin.hpp"

namespace kjoule::runner {

namespace {

[[noreturn]] void not_timed() {
  throw Error("the operator launched no work on the GPU, so it cannot be timed");
}

class WallStopwatch final : public ReadableStopwatch {
 public:
  void start() override {
    if (!started_) started_ = Time::now();
  }
  void stop() override { stopped_ = Time::now(); }
  double take_us() override {
    if (!started_ || !stopped_) not_timed();
    const std::chrono::duration<double, std::micro> us = *stopped_ - *started_;
    started_.reset();
    stopped_.reset();
    return us.count();
  }

 private:
  using Time = std::chrono::steady_clock;
  std::optional<Time::time_point> started_, stopped_;
};

class EventStopwatch final : public ReadableStopwatch {
 public:
  explicit EventStopwatch(c10::Device device)
      : guard_(device.type()), stream_(guard_.getDefaultStream(device)), spin_(find_spin()) {}
  void start() override {
    if (started_) return;
    spin_(kSpinCycles);
    begin_.record(stream_);
    started_ = true;
  }
  void stop() override {
    end_.record(stream_);
    stopped_ = true;
  }
  double take_us() override {
    if (!started_ || !stopped_) not_timed();
    started_ = stopped_ = false;
    end_.synchronize();
    return begin_.elapsedTime(end_) * 1e3;
  }

 private:
  c10::impl::VirtualGuardImpl guard_;
  c10::Stream stream_;
  Spin spin_;
  // The flag BACKEND_DEFAULT makes an event record its time.
  c10::Event begin_{c10::DeviceType::CUDA, c10::EventFlag::BACKEND_DEFAULT};
  c10::Event end_{c10::DeviceType::CUDA, c10::EventFlag::BACKEND_DEFAULT};
  bool started_ = false, stopped_ = false;
};

class NoStopwatch final : public Stopwatch {
 public:
  void start() override {}
  void stop() override {}
};

}  // namespace

std::unique_ptr<ReadableStopwatch> make_stopwatch(c10::Device device) {
  if (device.is_cpu()) return std::make_unique<WallStopwatch>();
  return std::make_unique<EventStopwatch>(device);
}

std::string meaning_of_time(c10::Device device) {
  return device.is_cpu() ? "wall time of the operator"
                         : "time on the device between events before the first and after the last kernel";
}

std::unique_ptr<Stopwatch> no_stopwatch() {
  return std::make_unique<NoStopwatch>();
}

}  // namespace kjoule::runner
