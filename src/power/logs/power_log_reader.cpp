#include "power/logs/power_log_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "base/files.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

/// The most lines that may precede the header; some loggers write a preamble.
constexpr size_t kLongestPreamble = 10;
/// The most series of a log; more indicate that the device's column contains other data.
constexpr size_t kMostSeries = 1024;
/// The tolerance of a sum for each meter in W: half of the last digit of each reading and of the sum, for
/// rounding.
constexpr double kSumTolerance_w = 0.06;

constexpr std::string_view kRemedy =
    "a log begins with time,id,pm1,pm2,sum or timestamp,gpu,power_w or nvidia-smi's header; for other CSV "
    "files, name the columns with --time-column and --power-column";

/// The number of lines of one kind, and the first of them.
struct LineCount {
  size_t count = 0, first = 0;
  void add(size_t line) {
    if (count++ == 0) first = line;
  }
  std::string describe(const std::string& what) const {
    return fmt::format("{} {} {} (the first is line {})", count, count == 1 ? "line" : "lines", what, first);
  }
};

/// Returns the begin of a line as printable text.
std::string printable(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, 60)) text += c >= ' ' && c < 127 ? c : '?';
  return "\"" + text + (line.size() > 60 ? "..\"" : "\"");
}

class Reader {
 public:
  Reader(const std::filesystem::path& path, const ColumnNames& names) : path_(path.string()), names_(names) {}

  void take(std::string_view line, bool ended) {
    ++line_;
    if (line_ == 1) line = without_mark(line);
    if (line.find_first_not_of(" \t,;") == std::string_view::npos) return;
    if (columns_ && line == header_) return;  // joined logs repeat the header
    if (!columns_ && !take_header(line)) return;
    if (!ended)
      unended_.add(line_);  // the number may be cut off and then looks smaller
    else
      take_reading(line);
  }

  PowerLog finish() {
    if (line_ == 0) throw Error(path_ + ": is empty", "was the logger running?");
    if (!columns_)
      throw Error(fmt::format("{}: is not a power log: it begins with {}", path_, first_line_),
                  std::string(kRemedy));
    log_.path = path_;
    log_.format = columns_->format;
    check_has_readings();
    report_lines();
    report_times();
    order();
    return std::move(log_);
  }

 private:
  std::string_view without_mark(std::string_view line) const {
    if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))
      throw Error(path_ + ": is written in UTF-16", "save it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    return line;
  }

  /// Reads the header. Returns whether the line is already a reading, which is possible if columns were given
  /// by number and the log has no header.
  bool take_header(std::string_view line) {
    if (line.starts_with('#')) return false;
    if (first_line_.empty()) first_line_ = printable(line);
    try {
      columns_ = find_columns(line, names_);
    } catch (const Error& error) {
      throw Error(path_ + ": " + error.what(), error.remedy());
    }
    if (!columns_ && ++preamble_ >= kLongestPreamble)
      throw Error(fmt::format("{}: is not a power log: it begins with {}", path_, first_line_),
                  std::string(kRemedy));
    if (!columns_) return false;
    if (columns_->has_header) header_ = line;
    if (!columns_->device)
      for (const LogColumns::Value& value : columns_->values) log_.series.push_back({value.name, {}});
    return !columns_->has_header;
  }

  void take_reading(std::string_view line) {
    split_cells(line, columns_->separator, cells_);
    if (cells_.size() < columns_->needed()) return short_.add(line_);
    const auto time = times_.read(cells_[columns_->time]);
    if (!time) return no_time_.add(line_);
    const std::optional<size_t> first_series = columns_->device ? series_of(cells_[*columns_->device]) : 0;
    if (!first_series) return no_device_.add(line_);
    double sum = 0;
    bool all = true, unclear = false;
    for (size_t v = 0; v < columns_->values.size(); ++v) {
      const LogColumns::Value& value = columns_->values[v];
      const auto watts = read_watts(cells_[value.column]);
      if (watts) {
        log_.series[*first_series + v].samples.push_back({*time, *watts * value.scale});
        ++readings_;
        sum += *watts;
      } else {
        all = false;
        unclear = unclear || !is_missing_reading(cells_[value.column]);
      }
    }
    if (unclear) no_power_.add(line_);
    if (!all && !unclear) no_reading_.add(line_);
    if (all && columns_->sum && *columns_->sum < cells_.size()) check_sum(cells_[*columns_->sum], sum);
  }

  void check_sum(std::string_view cell, double sum) {
    const auto stated = read_watts(cell);
    if (stated && std::abs(*stated - sum) > kSumTolerance_w * static_cast<double>(columns_->values.size()))
      other_sum_.add(line_);
  }

  /// Returns the index of the first series of a device, or no value if the cell names no device. Creates the
  /// series when the device occurs for the first time.
  std::optional<size_t> series_of(std::string_view device) {
    if (device.empty() || is_missing_reading(device)) return {};
    const size_t each = columns_->values.size();
    for (size_t d = 0; d < devices_.size(); ++d)
      if (devices_[d] == device) return d * each;
    if ((devices_.size() + 1) * each > kMostSeries || device.size() > 64) return {};
    devices_.emplace_back(device);
    for (const LogColumns::Value& value : columns_->values)
      log_.series.push_back(
          {fmt::format("gpu {}{}{}", device, value.name.empty() ? "" : " ", value.name), {}});
    return log_.series.size() - each;
  }

  size_t bad_lines() const { return short_.count + no_time_.count + no_device_.count + no_power_.count; }

  void check_has_readings() const {
    if (readings_ > 0 && bad_lines() <= readings_) return;
    std::string why;
    for (const auto& [lines, what] : kinds())
      if (lines->count > 0) why += (why.empty() ? ": " : ", ") + lines->describe(what);
    if (readings_ == 0)
      throw Error(fmt::format("{}: contains no reading{}", path_, why),
                  "was the logger running, and the meter on?");
    throw Error(fmt::format("{}: is not a power log: {} readings{}", path_, readings_, why),
                std::string(kRemedy));
  }

  std::vector<std::pair<const LineCount*, std::string>> kinds() const {
    return {{&short_, "ignored: too few cells"},
            {&no_time_, "ignored: time not readable"},
            {&no_device_, "ignored: no device"},
            {&no_power_, "ignored: power is not a number of at least 0"},
            {&no_reading_, "without a reading of every meter"},
            {&unended_, "ignored: cut off by the end of the log"},
            {&other_sum_, "with a sum that is not that of the meters; the meters are used"}};
  }

  void report_lines() {
    // Meters without any reading are reported as a whole, not line by line.
    const auto silent = [](const PowerSeries& series) { return series.samples.empty(); };
    const bool some_silent = std::any_of(log_.series.begin(), log_.series.end(), silent);
    for (const PowerSeries& series : log_.series)
      if (silent(series)) log_.warnings.push_back(fmt::format("{} has no reading at all", series.name));
    std::erase_if(log_.series, silent);
    for (const auto& [lines, what] : kinds()) {
      if (lines->count == 0 || (some_silent && lines == &no_reading_)) continue;
      log_.warnings.push_back(lines->describe(what));
    }
  }

  void report_times() {
    if (times_.skipped() > 0)
      log_.warnings.push_back(fmt::format(
          "{} times do not exist in this machine's time zone; was the log written in another (TZ=...)?",
          times_.skipped()));
    if (times_.ambiguous() > 0)
      log_.warnings.push_back(fmt::format(
          "{} times occur twice because clocks were set back; the first one is used", times_.ambiguous()));
  }

  void order() {
    size_t unsorted = 0, joined = 0;
    for (PowerSeries& series : log_.series) {
      unsorted += sort(series.samples);
      joined += join(series.samples);
    }
    if (unsorted > 0) log_.warnings.push_back(fmt::format("{} readings out of order, sorted", unsorted));
    if (joined > 0)
      log_.warnings.push_back(fmt::format(
          "{} readings have the same time as another of the same meter; their mean is used", joined));
  }

  /// Sorts the samples. Returns the number of samples that followed a later one.
  static size_t sort(std::vector<PowerSeries::Sample>& samples) {
    size_t late = 0;
    int64_t latest_ns = INT64_MIN;
    for (const PowerSeries::Sample& sample : samples) {
      if (sample.unix_ns < latest_ns) ++late;
      latest_ns = std::max(latest_ns, sample.unix_ns);
    }
    if (late > 0)
      std::stable_sort(samples.begin(), samples.end(),
                       [](const auto& a, const auto& b) { return a.unix_ns < b.unix_ns; });
    return late;
  }

  /// Replaces samples of the same time by their mean. Returns the number of samples that were removed.
  static size_t join(std::vector<PowerSeries::Sample>& samples) {
    size_t kept = 0;
    for (size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
      double watts = 0;
      for (end = begin; end < samples.size() && samples[end].unix_ns == samples[begin].unix_ns; ++end)
        watts += samples[end].watts;
      samples[kept++] = {samples[begin].unix_ns,
                         end == begin + 1 ? watts : watts / static_cast<double>(end - begin)};
    }
    const size_t joined = samples.size() - kept;
    samples.resize(kept);
    return joined;
  }

  std::string path_;
  ColumnNames names_;
  std::optional<LogColumns> columns_;
  std::string header_, first_line_;
  std::vector<std::string> devices_;
  std::vector<std::string_view> cells_;
  TimestampReader times_;
  PowerLog log_;
  size_t line_ = 0, preamble_ = 0, readings_ = 0;
  LineCount short_, no_time_, no_device_, no_power_, no_reading_, unended_, other_sum_;
};

}  // namespace

PowerLog read_power_log(const std::filesystem::path& path, const ColumnNames& names) {
  Reader reader(path, names);
  read_lines(path, [&reader](std::string_view line, bool ended) { reader.take(line, ended); });
  return reader.finish();
}

}  // namespace kjoule
