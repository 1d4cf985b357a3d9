#include "power/logs/power_log_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

/// Calls `row(time, readings)` for each time at which any series has a reading. `readings` has one pointer
/// for each series, which is null if the series has no reading at this time.
template <class Row>
void each_time(const PowerLog& log, Row row) {
  std::vector<size_t> next(log.series.size(), 0);
  std::vector<const double*> readings(log.series.size());
  while (true) {
    int64_t time = INT64_MAX;
    for (size_t s = 0; s < next.size(); ++s)
      if (next[s] < log.series[s].samples.size())
        time = std::min(time, log.series[s].samples[next[s]].unix_ns);
    if (time == INT64_MAX) return;
    for (size_t s = 0; s < next.size(); ++s) {
      const auto& samples = log.series[s].samples;
      const bool reads = next[s] < samples.size() && samples[next[s]].unix_ns == time;
      readings[s] = reads ? &samples[next[s]++].watts : nullptr;
    }
    row(time, readings);
  }
}

std::string wattsup_text(const PowerLog& log) {
  if (log.series.empty() || log.series.size() > 2)
    throw Error(fmt::format("a WattsUp log has one or two meters, not {}", log.series.size()),
                "write the format gpu instead");
  std::string text = "time,id,pm1,pm2,sum\n";
  auto out = std::back_inserter(text);
  size_t id = 0;
  each_time(log, [&](int64_t time, const std::vector<const double*>& readings) {
    fmt::format_to(out, "{},{}", local_timestamp(time).substr(0, 19), id++);
    double sum = 0;
    bool all = true;
    for (size_t meter = 0; meter < 2; ++meter) {
      const double* watts = meter < readings.size() ? readings[meter] : nullptr;
      text += ',';
      if (watts != nullptr) fmt::format_to(out, "{:.1f}", *watts);
      sum += watts != nullptr ? *watts : 0;
      all = all && (watts != nullptr || meter >= readings.size());
    }
    text += ',';
    if (all) fmt::format_to(out, "{:.1f}", sum);
    text += '\n';
  });
  return text;
}

/// Returns "3" for "gpu 3".
std::string device_of(const PowerSeries& series) {
  return series.name.starts_with("gpu ") ? series.name.substr(4) : series.name;
}

}  // namespace

std::string power_log_text(const PowerLog& log) {
  if (log.format == "wattsup") return wattsup_text(log);
  const bool smi = log.format == "nvidia-smi";
  if (!smi && log.format != "gpu")
    throw Error("kjoule cannot write a power log in the format " + log.format,
                "choose wattsup, gpu or nvidia-smi");
  std::string text = smi ? "timestamp, index, power.draw [W]\n" : "timestamp,gpu,power_w\n";
  auto out = std::back_inserter(text);
  each_time(log, [&](int64_t time, const std::vector<const double*>& readings) {
    const std::string stamp = local_timestamp(time, smi ? '/' : '-');
    for (size_t s = 0; s < readings.size(); ++s) {
      if (readings[s] == nullptr) continue;
      if (smi)
        fmt::format_to(out, "{}, {}, {:.2f} W\n", stamp, device_of(log.series[s]), *readings[s]);
      else
        fmt::format_to(out, "{},{},{:.3f}\n", stamp, device_of(log.series[s]), *readings[s]);
    }
  });
  return text;
}

void write_power_log(const std::filesystem::path& path, const PowerLog& log) {
  write_atomic(path, power_log_text(log));
}

}  // namespace kjoule
