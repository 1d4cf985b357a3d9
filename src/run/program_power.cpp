#include "run/program_power.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "power/instant.hpp"
#include "run/energy_counters.hpp"

namespace kjoule {

namespace {

constexpr auto kPause = std::chrono::milliseconds(500);  ///< time between two readings
constexpr std::ptrdiff_t kMostValues = 7200;             ///< readings of each counter that are kept: an hour
constexpr double kShortest_s = 1;                        ///< shortest time of a mean power

}  // namespace

ProgramPower::ProgramPower() {
  try {
    std::map<std::string, std::string> lacks;
    for (auto& [gpu, meter] : open_energy_counters(lacks)) counters_[gpu].meter = std::move(meter);
  } catch (const Error&) {
    return;  // NVML is not available; the measurement of energy reports it
  }
  start();
}

ProgramPower::ProgramPower(std::map<std::string, std::unique_ptr<Meter>> counters) {
  for (auto& [gpu, meter] : counters) counters_[gpu].meter = std::move(meter);
  start();
}

ProgramPower::~ProgramPower() {
  stop();
}

void ProgramPower::start() {
  if (!counters_.empty()) thread_ = std::thread([this] { read_until_stopped(); });
}

void ProgramPower::stop() {
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
  }
  stopping_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ProgramPower::read_until_stopped() {
  MutexLock lock(mutex_);
  while (!is_stopped_) {
    lock.unlock();
    for (auto& [gpu, counter] : counters_) {
      if (counter.has_failed) continue;
      try {
        std::ranges::copy(counter.meter->read(), std::back_inserter(counter.values));
      } catch (const Error&) {
        counter.has_failed = true;
      }
      if (std::ssize(counter.values) > kMostValues)
        counter.values.erase(counter.values.begin(), counter.values.end() - kMostValues);
    }
    lock.lock();
    stopping_.wait_for(lock.to_wait(), kPause, [this]() KJOULE_REQUIRES(mutex_) { return is_stopped_; });
  }
}

std::optional<MeanPower> ProgramPower::mean_power(const std::string& gpu, int64_t begin_ns,
                                                  int64_t end_ns) const {
  const auto found = counters_.find(gpu);
  if (found == counters_.end()) return {};
  const auto& [meter, values, has_failed] = found->second;
  const auto first = std::ranges::lower_bound(values, begin_ns, {}, &MeterValue::steady_ns);
  const auto behind = std::ranges::upper_bound(values, end_ns, {}, &MeterValue::steady_ns);
  if (behind - first < 2) return {};
  const MeterValue& last = behind[-1];
  MeanPower power;
  power.seconds = static_cast<double>(last.steady_ns - first->steady_ns) / kNsPerSecond;
  const bool falls =
      std::ranges::adjacent_find(first, behind, std::greater<>(), &MeterValue::value) != behind;
  if (falls || power.seconds < kShortest_s) return {};
  const double watts = (last.value - first->value) / power.seconds;
  power.watts = {watts,
                 watts * meter->facts().tick_s / power.seconds + meter->facts().value_step / power.seconds};
  return power;
}

}  // namespace kjoule
