#include "power/meters/csv_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
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

constexpr size_t kMostCsvSeries = 1024;  // further series are ignored
constexpr size_t kTimesOfSeries = 300;   // number of latest readings that show the time between readings
/// A longer time between two readings, in median times, is a pause of the log.
constexpr double kPauseOfLog = 10;

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

  /// Calls `take` with each reading since the last call.
  template <class Take>
  void read(const Take& take) {
    follower_.read([&](std::string_view line, bool is_first) {
      if (is_first) rows_ = LogRowReader(name_, names_);
      if (const LogRow* row = rows_.read(trimmed(line, "\r"))) add(*row, take);
    });
  }
  /// Returns the file's columns. Throws Error if it has no header yet.
  const LogColumns& columns() const {
    if (rows_.line() == 0)
      throw Error(fmt::format("{}: no header line came within {:g} s", name_, kPatience_s),
                  "check that the program that writes the log is running");
    rows_.check_header();
    return *rows_.columns();
  }
  /// Returns whether the file's meters are known: a column of GPUs must have readings.
  bool knows_meters(bool has_readings) const {
    return rows_.line() > 0 && (has_readings || !rows_.columns() || !rows_.columns()->device);
  }
  bool gone() const { return follower_.gone(); }
  size_t unreadable() const { return unreadable_; }

 private:
  template <class Take>
  void add(const LogRow& row, const Take& take) {
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
        take(CsvReading{columns().series_name(columns().values[v], row.device), v,
                        std::string(columns().values[v].name.empty() ? row.device : std::string_view()),
                        *time, row.watts[v]});
  }

  /// Throws Error if a device has lines that differ in a column such as that of the host.
  void check_keys(const LogRow& row) {
    if (row.keys.empty() || columns().format == "wattsup") return;
    if (keys_.size() == kMostCsvSeries && !keys_.contains(std::string(row.device))) return;
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

/// A series of the file, with the times of its latest readings.
struct CsvSeries {
  size_t value = 0;   ///< index of its column in LogColumns::values
  std::string gpu{};  ///< as in CsvReading
  std::deque<int64_t> latest_ns{};

  void add(int64_t unix_ns) {
    latest_ns.push_back(unix_ns);
    if (latest_ns.size() > kTimesOfSeries) latest_ns.pop_front();
  }
  /// Returns the mean time in s between the latest readings, without pauses of the log. Readings may have
  /// equal times, if the file's times have no fractions of seconds.
  double period_s() const {
    std::vector<double> apart_s, later_s;
    for (size_t r = 1; r < latest_ns.size(); ++r) {
      apart_s.push_back(static_cast<double>(latest_ns[r] - latest_ns[r - 1]) * 1e-9);
      if (apart_s.back() > 0) later_s.push_back(apart_s.back());
    }
    if (later_s.empty()) return kAssumed_s;
    const double longest_s = kPauseOfLog * median(later_s);
    std::erase_if(apart_s, [&](double seconds) { return seconds < 0 || seconds > longest_s; });
    return mean(apart_s);
  }
};

/// The series of a file in the order of their first readings.
class CsvSeriesList {
 public:
  void add(const CsvReading& reading) {
    const auto known = places_.find(reading.series);
    if (known == places_.end() && list_.size() == kMostCsvSeries) return;
    if (known == places_.end()) {
      places_.emplace(reading.series, list_.size());
      list_.emplace_back(reading.series, CsvSeries{reading.value, reading.gpu, {reading.unix_ns}});
      return;
    }
    list_[known->second].second.add(reading.unix_ns);
  }
  /// Returns a series; without readings if there is none of this name.
  CsvSeries of(const std::string& name) const {
    const auto known = places_.find(name);
    return known == places_.end() ? CsvSeries() : list_[known->second].second;
  }
  const std::vector<std::pair<std::string, CsvSeries>>& list() const { return list_; }

 private:
  std::map<std::string, size_t> places_;
  std::vector<std::pair<std::string, CsvSeries>> list_;
};

/// A file that several meters share, each of which may be read by a thread of its own. Readings of these
/// meters are kept until their meter takes them.
class CsvStream {
 public:
  /// The part of one read of the file that concerns one meter.
  struct News {
    std::vector<CsvReading> readings{};  ///< readings of the meter's series since its last take()
    bool file_gone = false;
    bool unreadable_lines = false;
  };
  explicit CsvStream(const PowerSourceOptions& options) : power_(options) {
    power_.read([](const CsvReading&) {});
  }

  /// Keeps the readings of this series from now on.
  void open(const std::string& series) {
    const MutexLock lock(mutex_);
    readings_[series];
  }
  News take(const std::string& series) {
    const MutexLock lock(mutex_);
    std::vector<CsvReading> fresh;
    power_.read([&fresh](CsvReading reading) { fresh.push_back(std::move(reading)); });
    for (CsvReading& reading : fresh)
      if (const auto kept = readings_.find(reading.series); kept != readings_.end())
        kept->second.push_back(std::move(reading));
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
    const CsvSeriesList series = first_series(power);
    const LogColumns& columns = power.columns();
    std::vector<FoundMeter> found;
    const Scope scope = columns.scope();
    const auto add = [&](const std::string& name, size_t value, const std::string& gpu) {
      const auto has_name = [&](const FoundMeter& meter) { return meter.id == name; };
      if (std::any_of(found.begin(), found.end(), has_name)) return;
      const double each_s = series.of(name).period_s();
      MeterLag lag = lag_of_column(columns, columns.values[value], each_s);
      if (options_.csv_averaging_s) lag = stated_lag(lag, *options_.csv_averaging_s);
      found.push_back({.id = name,
                       .device = options_.csv.string(),
                       .facts = facts_of(name, scope, lag, each_s, options_),
                       .gpu = gpu});
    };
    if (!columns.device)
      for (size_t v = 0; v < columns.values.size(); ++v)
        if (!columns.values[v].part) add(columns.series_name(columns.values[v], {}), v, {});
    for (const auto& [name, one] : series.list()) add(name, one.value, one.gpu);
    if (found.empty())
      throw Error(options_.csv.string() + ": the log has no readings yet, so its GPUs are not known",
                  "repeat the command when it has readings");
    return found;
  }

  std::unique_ptr<Meter> open(const FoundMeter& found) override {
    auto stream = stream_.lock();
    if (!stream) stream_ = stream = std::make_shared<CsvStream>(options_);
    stream->open(found.facts.name);
    return std::make_unique<CsvMeter>(found.facts, std::move(stream));
  }

 private:
  /// Reads the file until its meters are known, for at most kPatience_s: loggers such as nvidia-smi collect
  /// the lines of several seconds before they write them.
  static CsvSeriesList first_series(CsvPower& power) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience_s);
    CsvSeriesList series;
    const auto read = [&] { power.read([&series](const CsvReading& reading) { series.add(reading); }); };
    read();
    while (!power.knows_meters(!series.list().empty()) && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(kPause);
      read();
    }
    return series;
  }

  PowerSourceOptions options_;
  std::weak_ptr<CsvStream> stream_;
};

}  // namespace

std::unique_ptr<PowerSource> csv_source(const PowerSourceOptions& options) {
  return std::make_unique<CsvSource>(options);
}

}  // namespace kjoule
