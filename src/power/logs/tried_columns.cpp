#include "power/logs/tried_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/files/files.hpp"
#include "base/text/parse_number.hpp"
#include "power/logs/cells.hpp"
#include "power/logs/elapsed_time.hpp"
#include "power/logs/power_column.hpp"
#include "power/logs/power_log_reader.hpp"
#include "power/logs/power_unit.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

/// The beginning of a file on which columns are tried, and the number of its lines by which they are chosen.
constexpr size_t kTriedBytes = 1 << 20, kSampledLines = 40;
/// The most columns of powers that are tried, and that a message names.
constexpr size_t kMostPowers = 8, kMostNamed = 4;
/// Unix times have at least this many digits. Numbers of other moments than 2008 to 2096 are rather counters.
constexpr size_t kDigitsOfUnixTime = 10;
constexpr int64_t kFirstUnixTime_ns = 1'200'000'000'000'000'000, kLastUnixTime_ns = 4'000'000'000'000'000'000;

bool has_any(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

/// Returns whether a column's name states a unit of power.
bool states_unit(const std::string& title) {
  try {
    return ColumnTitle(title).scale.has_value();
  } catch (const Error&) {
    return false;
  }
}

/// Returns whether a column's name may be that of a power.
bool hints_at_power(const std::string& title) {
  const std::string low = lower(title);
  if (has_any(low, {"temp", "clock", "clk", "freq", "util", "mem", "fan", "energy", "wh", "volt", "current",
                    "limit", "cap", "max", "%", "index", "_id", "pid"}))
    return false;
  return has_any(low, {"power", "watt", "pm1", "pm2", "pm3", "pm4", "draw", "pwr", "consum", "leistung",
                       "gpu", "cpu", "psu", "soc", "dram", "total", "board"}) ||
         low.ends_with("_w") || states_unit(title);
}

/// The first lines of a log, divided into cells.
class SampledLines {
 public:
  SampledLines(std::string_view text, const std::vector<std::string>& titles) : titles_(titles) {
    Cells cells;
    std::optional<char> separator;
    for (size_t from = 0; from < text.size() && lines_.size() < kSampledLines;) {
      const size_t end = std::min(text.find('\n', from), text.size());
      const std::string_view line = trimmed(text.substr(from, end - from), "\r");
      from = end + 1;
      split_cells(line, separator.value_or(separator_of(line)), cells);
      const bool is_header = std::equal(cells.begin(), cells.end(), titles.begin(), titles.end());
      if (is_header && !separator) separator = separator_of(line);
      has_header_ = has_header_ || (is_header && !is_time_in(cells) && has_name_in(cells));
      if (separator && cells.size() >= titles.size() && !(is_header && has_header_)) lines_.push_back(cells);
    }
  }

  /// Returns the name of a column for an option: its title, or its number if the log has no header.
  std::string name(size_t column) const {
    const bool is_unique = std::count(titles_.begin(), titles_.end(), titles_[column]) == 1;
    const bool is_plain = std::all_of(titles_[column].begin(), titles_[column].end(),
                                      [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '+'; });
    return has_header_ && is_unique && is_plain && !titles_[column].empty() ? titles_[column]
                                                                            : std::to_string(column + 1);
  }

  std::vector<std::string> times() const {
    std::vector<std::string> names;
    for (size_t c = 0; c < titles_.size(); ++c)
      if (all([&](const Cells& cells) { return is_time(cells[c]) && may_be_time(c, cells[c]); }))
        names.push_back(name(c));
    for (size_t date = 0; date < titles_.size(); ++date)
      for (size_t time = 0; time < titles_.size() && names.empty(); ++time)
        if (date != time &&
            all([&](const Cells& cells) { return is_time(joined(cells[date], cells[time])); }))
          names.push_back(name(date) + "+" + name(time));
    return names;
  }

  /// Returns the columns of times that may be counted from the start of the log: they only grow.
  std::vector<std::string> elapsed() const {
    std::vector<std::string> names;
    for (size_t c = 0; c < titles_.size(); ++c) {
      const bool has_title = has_any(lower(titles_[c]), {"time", "elapsed", "sec", "(s)", "[s]", "ms"});
      if ((has_title || !has_header_) && grows(c)) names.push_back(name(c));
    }
    return names;
  }

  std::vector<std::string> powers() const {
    std::vector<std::string> names;
    for (size_t c = 0; c < titles_.size() && names.size() < kMostPowers; ++c)
      if (all([&](const Cells& cells) { return is_power(cells[c], has_header_ ? titles_[c] : ""); }) &&
          (has_header_ ? hints_at_power(titles_[c]) : has_unit_or_fraction(c)))
        names.push_back(name(c));
    return names;
  }

  bool has_header() const { return has_header_; }
  /// Returns the columns of small whole numbers, which may be indices of GPUs.
  std::vector<std::string> indices() const {
    std::vector<std::string> names;
    for (size_t c = 0; c < titles_.size(); ++c)
      if (all([&](const Cells& cells) {
            const auto number = parse_number(cells[c]);
            return number && *number >= 0 && *number < 64 && cells[c].find('.') == std::string_view::npos;
          }))
        names.push_back(name(c));
    return names;
  }

 private:
  static bool is_time(std::string_view text) {
    if (text.size() < kDigitsOfUnixTime) return false;
    const std::vector<int64_t> moments = moments_of(text);
    if (moments.empty() || !parse_number(text)) return !moments.empty();
    return moments.front() > kFirstUnixTime_ns && moments.front() < kLastUnixTime_ns;
  }
  /// Returns whether a time is no number, or one in a column whose name may be that of times: counters of
  /// cycles look like Unix times.
  bool may_be_time(size_t column, std::string_view text) const {
    return !has_header_ || !parse_number(text) ||
           has_any(lower(titles_[column]),
                   {"time", "stamp", "date", "epoch", "unix", "clock", "when", "utc"});
  }
  static bool is_time_in(const Cells& cells) { return std::any_of(cells.begin(), cells.end(), is_time); }
  static bool has_name_in(const Cells& cells) {
    return std::any_of(cells.begin(), cells.end(), begins_like_name);
  }
  static std::string joined(std::string_view date, std::string_view time) {
    return std::string(date) + " " + std::string(time);
  }
  /// Returns whether a cell is a power in the unit that it or the column's name states.
  static bool is_power(std::string_view cell, const std::string& title) {
    try {
      return is_missing_reading(cell) || PowerColumn(title, Scope::unknown).read(cell).has_value();
    } catch (const Error&) {
      return false;
    }
  }
  bool has_unit_or_fraction(size_t column) const {
    return std::any_of(lines_.begin(), lines_.end(), [&](const Cells& cells) {
      return cells[column].find_first_of(".Ww") != std::string_view::npos;
    });
  }
  /// Returns whether a column has times from the start of a log, none before the one above it. Without a
  /// header, equal times are rather other numbers. Times of day are none.
  bool grows(size_t column) const {
    std::optional<int64_t> first, before;
    for (const Cells& cells : lines_) {
      const auto ns = read_elapsed_time(cells[column], titles_[column]);
      if (!ns || cells[column].find(':') != std::string_view::npos) return false;
      if (before && (*ns < *before || (!has_header_ && *ns == *before))) return false;
      if (!first) first = ns;
      before = ns;
    }
    return first && *before > *first;
  }
  template <class Fits>
  bool all(Fits fits) const {
    return !lines_.empty() && std::all_of(lines_.begin(), lines_.end(), fits);
  }

  const std::vector<std::string>& titles_;
  std::vector<Cells> lines_;
  bool has_header_ = false;
};

/// Returns whether the log can be read with these names.
bool can_read(std::string_view text, const ColumnNames& names) {
  try {
    PowerLogReader reader("log", names);
    for (size_t from = 0; from < text.size();) {
      const size_t end = std::min(text.find('\n', from), text.size());
      reader.take(trimmed(text.substr(from, end - from), "\r"), true);
      from = end + 1;
    }
    return !reader.finish().series.empty();
  } catch (const Error&) {
    return false;
  }
}

std::string option(const char* name, const std::string& value) {
  if (value.empty()) return {};
  const bool is_word = value.find_first_of(" \t()[]{}$&;|<>*?!#'`\\~") == std::string::npos;
  return is_word ? fmt::format("{} {}", name, value) : fmt::format("{} \"{}\"", name, value);
}

std::string joined_options(std::initializer_list<std::string> options) {
  std::string text;
  for (const std::string& one : options)
    if (!one.empty()) text += (text.empty() ? "" : " ") + one;
  return text;
}

/// Returns the names of columns of powers with which the log can be read. "" is the one with a usual name.
std::vector<std::string> readable_powers(std::string_view text, const ColumnNames& names,
                                         const std::vector<std::string>& powers) {
  std::vector<std::string> readable;
  for (const std::string& power : powers) {
    ColumnNames tried = names;
    if (!power.empty()) tried.powers = {power};
    if (tried.any() && can_read(text, tried)) readable.push_back(power);
    if (power.empty() && !readable.empty()) break;
  }
  return readable;
}

/// Returns options that name columns with which the log can be read, one of the columns of times `times`
/// among them; empty if there are none.
std::string readable_options(std::string_view text, const SampledLines& lines, const ColumnNames& names,
                             const std::vector<std::string>& times) {
  std::vector<std::string> powers{""}, devices{""};
  if (names.powers.empty()) std::ranges::copy(lines.powers(), std::back_inserter(powers));
  if (names.device.empty() && !lines.has_header())
    std::ranges::copy(lines.indices(), std::back_inserter(devices));
  for (const std::string& time : times)
    for (const std::string& device : devices) {
      ColumnNames tried = names;
      if (!time.empty()) tried.time = time;
      if (!device.empty()) tried.device = device;
      const std::vector<std::string> readable = readable_powers(text, tried, powers);
      if (readable.empty()) continue;
      std::string choices;
      for (size_t p = 0; p < std::min(readable.size(), kMostNamed); ++p)
        choices += (p > 0 ? " or " : "") + option("--power-column", readable[p]);
      return joined_options({option("--time-column", time), option("--device-column", device), choices});
    }
  return {};
}

}  // namespace

std::string tried_columns(const std::filesystem::path& path, const std::vector<std::string>& titles,
                          const ColumnNames& names) {
  std::string text = read_beginning(path, kTriedBytes);
  if (text.size() == kTriedBytes) text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n'));
  const SampledLines lines(text, titles);
  const std::vector<std::string> found = lines.times();
  std::vector<std::string> times{""};
  if (names.time.empty()) std::ranges::copy(found, std::back_inserter(times));
  if (const std::string options = readable_options(text, lines, names, times); !options.empty())
    return "name its columns: " + options;
  if (!names.time.empty() || names.log_start_ns || !found.empty()) return {};
  ColumnNames counted = names;
  counted.log_start_ns = 0;
  const std::vector<std::string> elapsed = lines.elapsed();
  if (const std::string options = readable_options(text, lines, counted, elapsed); !options.empty())
    return fmt::format("name its columns, and when it began: --log-start \"2026-02-04 10:15:00\" {}",
                       options);
  if (lines.powers().empty() || !elapsed.empty()) return {};
  return "write a time such as 2026-02-04 10:15:00.250 into each line, because none of its columns has times "
         "that kjoule reads";
}

}  // namespace kjoule
