#include "power/meters/csv_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/process/mutex.hpp"
#include "base/text/parse_number.hpp"
#include "power/instant.hpp"
#include "power/logs/cells.hpp"
#include "power/logs/column_lag.hpp"
#include "power/logs/csv_follower.hpp"
#include "power/logs/log_rows.hpp"
#include "power/logs/sample_order.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

constexpr double kAssumed_s = 1;  // assumed time between lines until the file contains two lines
constexpr double kPatience_s = 10;
constexpr auto kPause = std::chrono::milliseconds(50);  // between two reads for the first lines
constexpr size_t kJudgedLines = 40;  // number of lines after which it is checked that they are of one device

/// One reading of one series of the file.
struct CsvReading {
  std::string series{};
  size_t value = 0;   ///< index of its column in LogColumns::values
  std::string gpu{};  ///< of the main series of a GPU: the GPU as the file names it; otherwise empty
  int64_t unix_ns = 0;
  std::optional<double> watts{};
};

/// Reads a file's lines as they are appended, with LogRowReader, which also reads complete logs.
class CsvPower {
 public:
  explicit CsvPower(const PowerSourceOptions& options)
      : name_(options.csv.string()),
        names_{.time = options.csv_time, .powers = options.csv_columns},
        offset_ns_(std::llround(options.csv_offset_s * 1e9)),
        follower_(options.csv),
        rows_(name_, names_) {
    std::error_code ignored;
    if (std::filesystem::is_directory(options.csv, ignored))
      throw Error(name_ + ": is a folder, not a power log", "give the path of a CSV file in it");
  }

  std::vector<CsvReading> read() {
    std::vector<CsvReading> readings;
    const std::vector<std::string> lines = follower_.read();
    if (follower_.from_beginning()) rows_ = LogRowReader(name_, names_);
    for (const std::string& line : lines)
      if (const LogRow* row = rows_.read(trimmed(line, "\r"))) add(*row, readings);
    return readings;
  }
  /// Returns the file's columns. Throws Error if it has no header yet.
  const LogColumns& columns() const {
    if (rows_.line() == 0)
      throw Error(fmt::format("{}: no header line came within {:g} s", name_, kPatience_s),
                  "check that the program that writes the log is running");
    rows_.check_header();
    return *rows_.columns();
  }
  /// Returns whether the file's meters are known: a column of GPUs must have `readings`.
  bool knows_meters(const std::vector<CsvReading>& readings) const {
    return rows_.line() > 0 && (!readings.empty() || !rows_.columns() || !rows_.columns()->device);
  }
  bool gone() const { return follower_.gone(); }
  size_t unreadable() const { return unreadable_; }

 private:
  void add(const LogRow& row, std::vector<CsvReading>& to) {
    auto time = moment_near(row.time, instant_now().unix_ns - offset_ns_);
    if (time) *time += offset_ns_;
    const bool unreadable = row.state == LogRow::State::too_short || row.state == LogRow::State::damaged ||
                            row.state == LogRow::State::unreadable;
    if (unreadable || !time) ++unreadable_;
    if (!time) return;
    check_devices(*time);
    check_keys(row);
    for (size_t v = 0; v < row.watts.size(); ++v)
      if (!columns().values[v].part)
        to.push_back({columns().series_name(columns().values[v], row.device), v,
                      std::string(columns().values[v].name.empty() ? row.device : std::string_view()), *time,
                      row.watts[v]});
  }

  /// Throws Error if a device has lines that differ in a column such as that of the host.
  void check_keys(const LogRow& row) {
    if (row.keys.empty() || columns().format == "wattsup") return;
    const auto [known, is_new] = keys_.try_emplace(std::string(row.device), row.keys.begin(), row.keys.end());
    for (size_t k = 0; !is_new && k < row.keys.size(); ++k)
      if (known->second[k] != row.keys[k] && !parse_number(row.keys[k]))
        throw Error(fmt::format("{}: column {} has {} and {}: the readings are of several devices", name_,
                                quoted_begin(columns().keys[k].title), quoted_begin(known->second[k]),
                                quoted_begin(row.keys[k])),
                    "write a log for each device");
  }

  /// Throws Error if the lines are of several devices and no column names the device.
  void check_devices(int64_t unix_ns) {
    if (columns().device || columns().format == "wattsup") return;
    recent_.push_back({unix_ns, 0});
    if (recent_.size() < kJudgedLines) return;
    rows_.check_points();
    try {
      sort_samples(recent_);
      check_one_device(recent_);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", name_, error.what()), error.remedy());
    }
    recent_.clear();
  }

  std::string name_;
  ColumnNames names_;
  int64_t offset_ns_;  ///< added to the file's times
  CsvFollower follower_;
  LogRowReader rows_;
  size_t unreadable_ = 0;
  std::vector<PowerSeries::Sample> recent_;               ///< times of the latest lines
  std::map<std::string, std::vector<std::string>> keys_;  ///< cells of LogColumns::keys by device
};

/// Returns the facts of one series. `lag` is that of its column.
MeterFacts facts_of(const std::string& series, Scope scope, const MeterLag& lag, double period_s,
                    const PowerSourceOptions& options) {
  MeterFacts facts{.source = "csv",
                   .name = series,
                   .scope = scope,
                   .quantity = Quantity::power_w,
                   .tick_s = std::max(period_s, lag.delay_s),
                   .averaging_s = lag.averaging_s,
                   .averaging_from = lag.from,
                   .delay_s = lag.delay_s,
                   .duty = {},
                   .value_step = 0.01,
                   .accuracy = options.accuracy};
  if (options.accuracy) {
    facts.accuracy_from = "stated with accuracy=";
  } else if (scope == Scope::system) {
    facts.accuracy = kWattsupAccuracy;
    facts.accuracy_from = kWattsupAccuracyFrom;
  } else if (scope == Scope::gpu) {
    facts.accuracy = kBoardAccuracy;
    facts.accuracy_from = kBoardAccuracyFrom;
  }
  return facts;
}

/// A file that several meters share, each of which may be read by a thread of its own. Readings are kept
/// until their meter takes them.
class CsvStream {
 public:
  /// The part of one read of the file that concerns one meter.
  struct News {
    std::vector<CsvReading> readings{};  ///< readings of the meter's series since its last take()
    bool file_gone = false;
    bool unreadable_lines = false;
  };
  explicit CsvStream(const PowerSourceOptions& options) : power_(options) { power_.read(); }

  News take(const std::string& series) {
    const MutexLock lock(mutex_);
    for (CsvReading& reading : power_.read()) readings_[reading.series].push_back(reading);
    return {std::exchange(readings_[series], {}), power_.gone(), power_.unreadable() > 0};
  }

 private:
  Mutex mutex_;
  CsvPower power_ KJOULE_GUARDED_BY(mutex_);
  std::map<std::string, std::vector<CsvReading>> readings_ KJOULE_GUARDED_BY(mutex_);
};

class CsvMeter final : public Meter {
 public:
  CsvMeter(MeterFacts facts, std::shared_ptr<CsvStream> stream)
      : Meter(std::move(facts)), stream_(std::move(stream)) {}

 private:
  std::vector<MeterValue> fetch() override {
    const CsvStream::News news = stream_->take(facts().name);
    std::vector<MeterValue> readings;
    for (const CsvReading& reading : news.readings) {
      const Instant at = instant_of_unix(reading.unix_ns);
      if (reading.watts) readings.push_back({at.steady_ns, at.unix_ns, *reading.watts});
    }
    if (news.file_gone != gone_)
      note(news.file_gone ? "the file is gone; waiting for it to come back" : "the file is back");
    gone_ = news.file_gone;
    if (news.unreadable_lines) note_once("the file has unreadable lines, which are ignored");
    return readings;
  }

  std::shared_ptr<CsvStream> stream_;
  bool gone_ = false;
};

class CsvSource final : public PowerSource {
 public:
  explicit CsvSource(PowerSourceOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "csv"; }
  std::string help() const override { return "a file that another program writes"; }
  double patience_s() const override { return kPatience_s; }

  std::vector<FoundMeter> find() override {
    CsvPower power(options_);
    const std::vector<CsvReading> readings = first_readings(power);
    const LogColumns& columns = power.columns();
    std::vector<FoundMeter> found;
    const Scope scope = columns.scope();
    const auto add = [&](const std::string& series, size_t value, const std::string& gpu) {
      const auto has_name = [&](const FoundMeter& meter) { return meter.id == series; };
      if (std::any_of(found.begin(), found.end(), has_name)) return;
      const double each_s = period_s(readings, series);
      MeterLag lag = lag_of_column(columns, columns.values[value], each_s);
      if (options_.csv_averaging_s) lag = stated_lag(lag, *options_.csv_averaging_s);
      found.push_back({.id = series,
                       .device = options_.csv.string(),
                       .facts = facts_of(series, scope, lag, each_s, options_),
                       .gpu = gpu});
    };
    if (!columns.device)
      for (size_t v = 0; v < columns.values.size(); ++v)
        if (!columns.values[v].part) add(columns.series_name(columns.values[v], {}), v, {});
    for (const CsvReading& reading : readings) add(reading.series, reading.value, reading.gpu);
    if (found.empty())
      throw Error(options_.csv.string() + ": the log has no readings yet, so its GPUs are not known",
                  "repeat the command when it has readings");
    return found;
  }

  std::unique_ptr<Meter> open(const FoundMeter& found) override {
    auto stream = stream_.lock();
    if (!stream) stream_ = stream = std::make_shared<CsvStream>(options_);
    return std::make_unique<CsvMeter>(found.facts, std::move(stream));
  }

 private:
  /// Reads the file until its meters are known, for at most kPatience_s: loggers such as nvidia-smi collect
  /// the lines of several seconds before they write them.
  static std::vector<CsvReading> first_readings(CsvPower& power) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience_s);
    std::vector<CsvReading> readings = power.read();
    while (!power.knows_meters(readings) && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(kPause);
      readings = power.read();
    }
    return readings;
  }
  /// Returns the mean time in s between the readings of one series.
  static double period_s(const std::vector<CsvReading>& readings, const std::string& series) {
    std::vector<int64_t> times;
    for (const CsvReading& reading : readings)
      if (reading.series == series) times.push_back(reading.unix_ns);
    if (times.size() < 2 || times.back() <= times.front()) return kAssumed_s;
    return static_cast<double>(times.back() - times.front()) * 1e-9 / static_cast<double>(times.size() - 1);
  }

  PowerSourceOptions options_;
  std::weak_ptr<CsvStream> stream_;
};

}  // namespace

std::unique_ptr<PowerSource> csv_source(const PowerSourceOptions& options) {
  return std::make_unique<CsvSource>(options);
}

}  // namespace kjoule
