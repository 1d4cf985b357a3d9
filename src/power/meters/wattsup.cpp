#include "power/meters/wattsup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "power/instant.hpp"
#include "power/meters/serial_port.hpp"
#include "power/meters/wattsup_records.hpp"

namespace kjoule {

namespace {

constexpr size_t kMostMeters = 4;
constexpr int64_t kOpenAgain_ns = kNsPerSecond / 5;  ///< time between attempts to open a lost port
constexpr int64_t kAskAgain_ns = 3 * kNsPerSecond;   ///< silence after which the meter is asked to log again

/// Returns the command that starts logging; the meter counts its interval in whole seconds.
std::string start_logging(double interval_s) {
  return fmt::format("#L,W,3,E,,{};", std::max(1L, std::lround(interval_s)));
}

MeterFacts facts_of(size_t place, const PowerSourceOptions& options) {
  return {.source = "wattsup",
          .name = fmt::format("pm{}", place + 1),
          .scope = Scope::system,
          .quantity = Quantity::power_w,
          .tick_s = options.wattsup_interval_s,
          .averaging_s = options.wattsup_interval_s,
          .duty = 1,
          .value_step = 0.1,
          .accuracy = options.accuracy.value_or(kWattsupAccuracy),
          .accuracy_from = options.accuracy ? "stated with accuracy=" : kWattsupAccuracyFrom,
          .stamped_on_arrival = true};
}

bool same(const WattsupRecord& a, const WattsupRecord& b) {
  return a.watts == b.watts && a.volts == b.volts && a.amperes == b.amperes;
}

class WattsupMeter final : public Meter {
 public:
  WattsupMeter(MeterFacts facts, std::string path)
      : Meter(std::move(facts)), path_(std::move(path)), port_(std::make_unique<SerialPort>(path_)) {
    ask(instant_now());
  }

 private:
  std::vector<MeterValue> fetch() override {
    const Instant now = instant_now();
    if (!port_ && !open_again(now)) return {};
    const auto text = port_->read();
    if (!text) {
      lose();
      return {};
    }
    std::vector<MeterValue> readings = at_their_times(new_records(*text, now), now);
    if (records_.unreadable() > 0) note_once("incomplete or damaged records are ignored");
    if (now.steady_ns - heard_ns_ > std::max(kAskAgain_ns, 3 * interval_ns())) ask(now);
    return readings;
  }

  /// Returns the records in the text, without repetitions.
  std::vector<WattsupRecord> new_records(const std::string& text, const Instant& now) {
    std::vector<WattsupRecord> fresh;
    for (const WattsupRecord& record : records_.take(text)) {
      heard_ns_ = now.steady_ns;
      // The meter reports once per interval; an equal record that follows sooner is a repetition.
      if (last_ && same(*last_, record) && now.steady_ns - last_ns_ < interval_ns() / 2) continue;
      last_ = record;
      last_ns_ = now.steady_ns;
      fresh.push_back(record);
    }
    return fresh;
  }

  int64_t interval_ns() const { return std::llround(facts().tick_s * 1e9); }

  /// Returns the readings with their times. The meter sends one record per interval, so records that arrive
  /// together were delayed: the latest gets the present time, and each earlier one a time one interval
  /// earlier.
  std::vector<MeterValue> at_their_times(const std::vector<WattsupRecord>& records, const Instant& now) {
    std::vector<MeterValue> readings;
    for (size_t r = 0; r < records.size(); ++r) {
      const auto following = static_cast<int64_t>(records.size() - 1 - r);
      // The time is kept after that of the preceding reading and before those of the following ones.
      read_ns_ = std::clamp(now.steady_ns - following * interval_ns(),
                            std::min(read_ns_ + 1, now.steady_ns - following), now.steady_ns - following);
      readings.push_back({read_ns_, now.unix_ns - (now.steady_ns - read_ns_), records[r].watts});
    }
    return readings;
  }

  /// Asks the meter to log. This is repeated when the meter is silent, because it may have been switched off
  /// and on.
  void ask(const Instant& now) {
    heard_ns_ = now.steady_ns;
    if (!port_->write(start_logging(facts().tick_s))) lose();
  }

  void lose() {
    port_.reset();
    records_.cut();
    tried_ns_ = 0;
    note(path_ + " is gone; waiting for it to come back");
  }

  bool open_again(const Instant& now) {
    if (now.steady_ns - tried_ns_ < kOpenAgain_ns) return false;
    tried_ns_ = now.steady_ns;
    try {
      port_ = std::make_unique<SerialPort>(path_);
    } catch (const Error&) {
      return false;
    }
    note(path_ + " is back");
    ask(now);
    return port_ != nullptr;
  }

  std::string path_;
  std::unique_ptr<SerialPort> port_;  ///< null while the device is gone
  WattsupRecords records_;
  std::optional<WattsupRecord> last_;
  int64_t last_ns_ = 0;   ///< when the last record arrived
  int64_t read_ns_ = 0;   ///< time of the last reading
  int64_t heard_ns_ = 0;  ///< when the meter last reported or was asked to log
  int64_t tried_ns_ = 0;  ///< when opening the port was last tried
};

class WattsupSource final : public PowerSource {
 public:
  explicit WattsupSource(PowerSourceOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "wattsup"; }
  std::string help() const override { return "WattsUp meters at the socket"; }

  std::vector<FoundMeter> find() override {
    const std::vector<std::string> ports = options_.ports.empty() ? usual_ports() : options_.ports;
    if (ports.size() > kMostMeters)
      throw Error(fmt::format("{} ports, but kjoule reads {} meters at most", ports.size(), kMostMeters),
                  fmt::format("name at most {} ports with --port", kMostMeters));
    std::vector<FoundMeter> found;
    for (const std::string& port : ports) {
      const PortLack lack = port_lack(port);
      found.push_back({.id = port,
                       .device = port,
                       .facts = facts_of(found.size(), options_),
                       .lack = lack.cause,
                       .remedy = lack.remedy});
    }
    return found;
  }

  std::unique_ptr<Meter> open(const FoundMeter& found) override {
    if (!found.lack.empty()) throw Error(found.lack, found.remedy);
    return std::make_unique<WattsupMeter>(found.facts, found.id);
  }

 private:
  std::vector<std::string> usual_ports() const {
    std::vector<std::string> ports;
    for (const char* name : {"ttyUSB0", "ttyUSB1"})
      if (const auto path = options_.devices / name; std::filesystem::exists(path))
        ports.push_back(path.string());
    if (ports.empty())
      throw Error(fmt::format("no power meter was found: there is no {} or ttyUSB1",
                              (options_.devices / "ttyUSB0").string()),
                  "connect a WattsUp meter, or name its port with --port");
    return ports;
  }

  PowerSourceOptions options_;
};

}  // namespace

std::unique_ptr<PowerSource> wattsup_source(const PowerSourceOptions& options) {
  return std::make_unique<WattsupSource>(options);
}

}  // namespace kjoule
