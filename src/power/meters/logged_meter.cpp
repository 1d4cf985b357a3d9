#include "power/meters/logged_meter.hpp"

#include <utility>

#include "power/logs/log_lines.hpp"
#include "power/meters/meter_sum.hpp"
#include "power/meters/power_points.hpp"

namespace kjoule {

namespace {

/// Returns the meter's name in the column `gpu` of a log: "1" for the meter "gpu 1".
std::string label_of(const MeterFacts& facts) {
  constexpr std::string_view kGpu = "gpu ";
  return facts.name.starts_with(kGpu) ? facts.name.substr(kGpu.size()) : facts.name;
}

class LoggedMeter final : public Meter {
 public:
  LoggedMeter(std::unique_ptr<Meter> meter, WriteLine write)
      : Meter(meter->facts()),
        meter_(std::move(meter)),
        write_(std::move(write)),
        counter_(facts().tick_s),
        lines_(facts().scope == Scope::gpu ? LogLines::Format::gpu : LogLines::Format::columns,
               {facts().name}),
        label_(label_of(facts())) {
    write_(lines_.header(), 0);
  }
  std::optional<DeviceState> state() override { return meter_->state(); }

 private:
  std::vector<MeterValue> fetch() override {
    std::vector<MeterValue> readings = meter_->read();
    pass_on(meter_->take_notes());
    for (const MeterValue& reading : readings) {
      if (facts().quantity == Quantity::power_w)
        write_point(reading.unix_ns, reading.value);
      else if (const auto point = counter_.add(reading))
        write_point(point->unix_ns, point->watts);
    }
    return readings;
  }

  void write_point(int64_t unix_ns, double watts) {
    write_(lines_.format() == LogLines::Format::gpu ? lines_.gpu(unix_ns, label_, watts)
                                                    : lines_.moment(unix_ns, {watts}),
           unix_ns);
  }

  std::unique_ptr<Meter> meter_;
  WriteLine write_;
  PowerFromCounter counter_;
  LogLines lines_;
  std::string label_;
};

}  // namespace

std::unique_ptr<Meter> make_logged_meter(std::unique_ptr<Meter> meter, WriteLine write) {
  if (auto* sum = dynamic_cast<MeterSum*>(meter.get())) {
    sum->log_to(std::move(write));
    return meter;
  }
  return std::make_unique<LoggedMeter>(std::move(meter), std::move(write));
}

}  // namespace kjoule
