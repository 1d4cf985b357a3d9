#include "power/meters/source_name.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/text/parse_number.hpp"

namespace kjoule {

namespace {

using Set = std::function<void(PowerSourceOptions&, const std::string& value)>;
using Settings = std::map<std::string, Set>;

[[noreturn]] void refuse_value(const std::string& value, const std::string& wanted,
                               const std::string& example) {
  throw Error(fmt::format("{}: {}", value.empty() ? "a setting without a value" : value, wanted),
              "give for example " + example);
}

double seconds_of(const std::string& value, const std::string& example) {
  constexpr double kMost_s = 1e8;
  const auto seconds = parse_number(value);
  if (!seconds || !(std::abs(*seconds) <= kMost_s))
    refuse_value(value, "not a number of seconds up to 1e8", example);
  return *seconds;
}

double positive_seconds_of(const std::string& value, const std::string& example) {
  const double seconds = seconds_of(value, example);
  if (!(seconds > 0)) refuse_value(value, "not a number of seconds above 0", example);
  return seconds;
}

/// Returns the share that "1.5%" or "0.015" states.
double accuracy_of(const std::string& value) {
  const bool percent = value.ends_with('%');
  const auto number = parse_number(percent ? value.substr(0, value.size() - 1) : value);
  const double share = number.value_or(-1) / (percent ? 100 : 1);
  if (!(share >= 0 && share < 1)) refuse_value(value, "not an accuracy", "accuracy=1.5%");
  return share;
}

const Set kGpu = [](PowerSourceOptions& options, const std::string& value) { options.gpus.push_back(value); };
const Set kAccuracy = [](PowerSourceOptions& options, const std::string& value) {
  options.accuracy = accuracy_of(value);
};

/// Returns the settings that each source has.
const std::map<std::string, Settings>& all_settings() {
  static const std::map<std::string, Settings> all{
      {"nvml", {{"gpu", kGpu}}},
      {"nvml-counter", {{"gpu", kGpu}}},
      {"nvidia-smi",
       {{"gpu", kGpu},
        {"interval",
         [](PowerSourceOptions& options, const std::string& value) {
           options.interval_s = positive_seconds_of(value, "interval=0.1");
         }}}},
      {"rapl", {}},
      {"wattsup",
       {{"accuracy", kAccuracy},
        {"interval",
         [](PowerSourceOptions& options, const std::string& value) {
           options.wattsup_interval_s = positive_seconds_of(value, "interval=1");
         }}}},
      {"csv",
       {{"gpu", kGpu},
        {"accuracy", kAccuracy},
        {"column",
         [](PowerSourceOptions& options, const std::string& value) { options.csv_columns.push_back(value); }},
        {"time-column",
         [](PowerSourceOptions& options, const std::string& value) { options.csv_time = value; }},
        {"offset", [](PowerSourceOptions& options,
                      const std::string& value) { options.csv_offset_s = seconds_of(value, "offset=2.5"); }},
        {"averaging", [](PowerSourceOptions& options, const std::string& value) {
           options.csv_averaging_s = positive_seconds_of(value, "averaging=1");
         }}}}};
  return all;
}

std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  for (size_t from = 0; from <= text.size();) {
    const size_t end = std::min(text.find(',', from), text.size());
    pieces.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return pieces;
}

std::string keys_of(const Settings& settings) {
  std::string keys;
  for (const auto& [key, set] : settings) keys += (keys.empty() ? "" : ", ") + key;
  return keys;
}

/// Handles a piece that is not a setting: the name of a serial port or file, or a part of a file name that
/// contains a comma.
void take_place(const std::string& source, const std::string& piece, const Settings& settings,
                PowerSourceOptions& options) {
  const bool looks_like_setting = piece.find('=') != std::string::npos && source != "csv";
  if (source == "wattsup" && !looks_like_setting) {
    if (piece.empty())
      throw Error("wattsup: the name of a port is empty", "name the port: wattsup:/dev/ttyUSB0");
    options.ports.push_back(piece);
  } else if (source == "csv") {
    const std::string before = options.csv.string();
    options.csv = before.empty() ? piece : before + "," + piece;
  } else {
    throw Error(fmt::format("{}:{}: no such setting", source, piece),
                settings.empty() ? "omit it: " + source + " has no settings"
                                 : fmt::format("the settings of {} are {}", source, keys_of(settings)));
  }
}

}  // namespace

SourceName read_source_name(const std::string& text, PowerSourceOptions options) {
  const size_t colon = text.find(':');
  SourceName read{text.substr(0, colon), std::move(options)};
  const auto known = all_settings().find(read.name);
  if (known == all_settings().end()) return read;  // power_source() refuses it
  if (colon != std::string::npos) {
    if (read.name == "wattsup") read.options.ports.clear();
    if (read.name == "csv") read.options.csv.clear();
    for (const std::string& piece : pieces_of(text.substr(colon + 1))) {
      const size_t equals = piece.find('=');
      const auto setting = known->second.find(piece.substr(0, equals));
      if (equals == std::string::npos || setting == known->second.end())
        take_place(read.name, piece, known->second, read.options);
      else {
        if (equals + 1 == piece.size()) refuse_value("", "its value is empty", piece + "VALUE");
        setting->second(read.options, piece.substr(equals + 1));
      }
    }
  }
  if (read.name == "csv" && read.options.csv.empty())
    throw Error("csv: no file is named", "name the file: csv:power.csv");
  return read;
}

}  // namespace kjoule
