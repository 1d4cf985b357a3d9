#include "power/logs/power_log_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/text/counted.hpp"
#include "power/logs/column_lag.hpp"
#include "power/logs/elapsed_time.hpp"
#include "power/logs/sample_order.hpp"
#include "power/logs/tried_columns.hpp"

namespace kjoule {

namespace {

/// The tolerance in W for each meter between the stated and the computed sum. It is rounding: half of the
/// last digit of a reading and of the sum.
constexpr double kSumTolerance_w = 0.06;

constexpr const char* kLogZoneRemedy = "name the log's time zone: TZ=ZONE kjoule ..";
constexpr const char* kAmbiguousRemedy = "log in UTC or with a zone (2026-10-25T02:30:00+01:00)";

}  // namespace

std::string LineCount::describe() const {
  return fmt::format("{} {} {} (the first is line {})", count, count == 1 ? "line" : "lines", kind, first);
}

PowerLogReader::PowerLogReader(const std::string& name, const ColumnNames& names)
    : rows_(name, names), names_(names) {
  log_.path = name;
}

void PowerLogReader::take(std::string_view line, bool ended) {
  const bool had_header = rows_.columns().has_value();
  if (!ended && had_header) {
    rows_.skip();
    return unended_.add(rows_.line());
  }
  const LogRow* row = rows_.read(line);
  if (!devices_ && rows_.columns()) devices_.emplace(*rows_.columns(), !names_.device.empty());
  if (row != nullptr) add(*row);
}

void PowerLogReader::add(const LogRow& row) {
  const size_t before = readings_;
  if (LineCount* unusable = add_readings(row)) {
    unusable->add(rows_.line());
    ++bad_lines_;
    return;
  }
  if (row.state == LogRow::State::unreadable) no_power_.add(rows_.line());
  if (row.state == LogRow::State::zero) zero_.add(rows_.line());
  if (row.state == LogRow::State::partial) no_reading_.add(rows_.line());
  if (row.state == LogRow::State::complete) check_sum(row);
  if (readings_ == before && row.state != LogRow::State::partial) ++bad_lines_;
}

LineCount* PowerLogReader::add_readings(const LogRow& row) {
  if (row.state == LogRow::State::too_short) return &short_;
  if (row.state == LogRow::State::damaged) return &damaged_;
  const auto time = time_of(row);
  if (!time) return &no_time_;
  const std::optional<size_t> first_series = devices_->series_of(row);
  if (!first_series) return &no_device_;
  for (size_t v = 0; v < row.watts.size(); ++v) {
    if (!row.watts[v]) continue;
    devices_->add(*first_series + v, {*time, *row.watts[v]});
    ++readings_;
  }
  devices_->watch(*first_series, rows_.cells());
  return nullptr;
}

std::optional<int64_t> PowerLogReader::time_of(const LogRow& row) {
  if (!names_.log_start_ns) return times_.read(row.time);
  const auto elapsed_ns = read_elapsed_time(row.time, rows_.columns()->time_title);
  return elapsed_ns ? std::optional(*names_.log_start_ns + *elapsed_ns) : std::nullopt;
}

void PowerLogReader::check_sum(const LogRow& row) {
  if (!row.sum) return;
  double sum = 0;
  for (const auto& watts : row.watts) sum += watts.value_or(0);
  if (std::abs(*row.sum - sum) > kSumTolerance_w * static_cast<double>(row.watts.size()))
    other_sum_.add(rows_.line());
}

std::vector<const LineCount*> PowerLogReader::kinds() const {
  return {&short_, &damaged_,    &no_time_, &no_device_, &no_power_,
          &zero_,  &no_reading_, &unended_, &other_sum_};
}

PowerLog PowerLogReader::finish() {
  rows_.check_header();
  check_has_readings();
  check_times();
  if (rows_.columns()->format != "wattsup") rows_.check_units();  // a WattsUp's unit is known
  rows_.check_points();
  if (!names_.one_device()) check_watched();
  log_.warnings = rows_.warnings();
  order();
  report_lines();
  return std::move(log_);
}

void PowerLogReader::check_watched() const {
  try {
    devices_->check_watched();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", log_.path, error.what()), error.remedy());
  }
}

void PowerLogReader::check_has_readings() const {
  if (readings_ > 0 && bad_lines_ <= readings_) return;
  if (names_.log_start_ns && readings_ == 0 && no_time_.count > 0)
    throw UnknownColumns(log_.path + ": its times are not counted from the start of the log",
                         "omit --log-start, or name the column of such times with --time-column");
  std::string why;
  for (const LineCount* lines : kinds())
    if (lines->count > 0) why += (why.empty() ? ": " : ", ") + lines->describe();
  throw UnknownColumns(
      fmt::format("{}: contains {}{}", log_.path,
                  readings_ == 0 ? "no reading" : "only " + counted(readings_, "reading"), why),
      "check that the logger was running and the meter was on, or name other columns with "
      "--time-column and --power-column (of power log: --column)");
}

void PowerLogReader::check_times() const {
  if (times_.skipped() > 0)
    throw Error(fmt::format("{}: {} of its times do not exist in this machine's time zone", log_.path,
                            times_.skipped()),
                kLogZoneRemedy);
  if (times_.ambiguous() > 0)
    throw Error(
        log_.path +
            ": some of its times occur twice, because clocks were set back, and the log does not show which "
            "of the two is meant",
        kAmbiguousRemedy);
}

void PowerLogReader::report_lines() {
  // A meter without any reading has one warning; the lines without its reading are then not reported. A part
  // of another value, such as a rail that is off, needs none.
  const auto is_silent = [](const PowerSeries& series) { return series.samples.empty(); };
  const auto is_part = [](const PowerSeries& series) { return series.gpu.empty() && !series.column.empty(); };
  bool some_silent = false;
  for (const PowerSeries& series : log_.series) {
    if (!is_silent(series) || is_part(series)) continue;
    some_silent = true;
    log_.warnings.push_back(fmt::format("{} has no reading at all", series.name));
  }
  std::erase_if(log_.series, is_silent);
  for (const LineCount* lines : kinds())
    if (lines->count > 0 && !(some_silent && lines == &no_reading_))
      log_.warnings.push_back(lines->describe());
  log_.warnings.insert(log_.warnings.end(), order_warnings_.begin(), order_warnings_.end());
}

/// Sets the MeterLag of each series by what is known of its column; `values` has the index of its value.
/// WattsUp meters that share the lines of a log have sent their readings at different times within the second
/// of a line.
void PowerLogReader::set_lags(const std::vector<size_t>& values) {
  const LogColumns& columns = devices_->columns();
  for (size_t s = 0; s < log_.series.size(); ++s) {
    PowerSeries& series = log_.series[s];
    series.lag = lag_of_column(columns, columns.values[values[s]], median_interval_s(series.samples));
    if (log_.format == "wattsup" && log_.series.size() > 1)
      series.lag.time_error_s = median_interval_s(series.samples) / 2;
  }
}

void PowerLogReader::order() {
  std::vector<size_t> values;
  size_t unsorted = 0, joined = 0;
  try {
    log_.series = devices_->finish(values);
    log_.format = devices_->columns().format;
    const bool has_device =
        devices_->columns().device || log_.series.size() > devices_->columns().values.size();
    for (PowerSeries& series : log_.series) {
      unsorted += sort_samples(series.samples);
      if (!names_.one_device() && log_.format != "wattsup") {
        if (!has_device) check_one_device(series.samples);
        if (has_device) check_equal_times(series.samples);
      }
      joined += join_samples(series.samples);
    }
    set_lags(values);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", log_.path, error.what()), error.remedy());
  }
  if (unsorted > 0) order_warnings_.push_back(counted(unsorted, "reading") + " out of order, now sorted");
  if (joined > 0)
    order_warnings_.push_back(
        fmt::format("{} {} the same time as an earlier reading of the same meter; the mean "
                    "of readings with the same time is used",
                    counted(joined, "reading"), agreeing(joined, "has", "have")));
}

PowerLog read_power_log(const std::filesystem::path& path, const ColumnNames& names) {
  PowerLogReader reader(path.string(), names);
  try {
    read_lines(path, [&reader](std::string_view line, bool ended) { reader.take(line, ended); });
    return reader.finish();
  } catch (const Error& error) {
    if (dynamic_cast<const UnknownColumns*>(&error) == nullptr) throw;
    const std::string advice = tried_columns(path, reader.titles(), names);
    if (advice.empty()) throw;
    throw Error(error.what(), advice);
  }
}

PowerLog merged_logs(std::vector<PowerLog> logs) {
  PowerLog all = std::move(logs.front());
  for (size_t l = 1; l < logs.size(); ++l) {
    all.path += ", " + logs[l].path;
    all.warnings.insert(all.warnings.end(), logs[l].warnings.begin(), logs[l].warnings.end());
    for (PowerSeries& series : logs[l].series) {
      const auto same = std::find_if(all.series.begin(), all.series.end(),
                                     [&](const PowerSeries& one) { return one.name == series.name; });
      if (same == all.series.end())
        all.series.push_back(std::move(series));
      else
        same->samples.insert(same->samples.end(), series.samples.begin(), series.samples.end());
    }
  }
  for (PowerSeries& series : all.series)
    std::stable_sort(series.samples.begin(), series.samples.end(),
                     [](const auto& a, const auto& b) { return a.unix_ns < b.unix_ns; });
  return all;
}

}  // namespace kjoule
