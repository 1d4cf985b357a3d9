#include "cli/power/own_log.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/json/json_fields.hpp"
#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "cli/power/log_doubts.hpp"
#include "logged/energy_timing.hpp"
#include "logged/log_energy.hpp"
#include "power/logs/log_series.hpp"
#include "power/logs/power_log_reader.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

/// Returns the logs of a run, the oldest first; a resumed run has several.
std::vector<fs::path> logs_in(const fs::path& folder) {
  std::vector<fs::path> logs;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("power_") && name.ends_with(".csv")) logs.push_back(entry.path());
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

LogEnergies integrated(const std::vector<fs::path>& logs, const fs::path& folder, const MeterFacts& meter) {
  std::vector<PowerLog> read;
  for (const fs::path& log : logs) read.push_back(read_power_log(log));
  const PowerLog log = merged_logs(std::move(read));
  EnergySource source;
  source.path = log.path;
  source.format = log.format;
  source.meter = log_facts(log);
  use_meter(logged_meter(meter), source);
  source.meter.calibration = meter.calibration;
  source.warnings = log.warnings;
  Timings timings = read_timings({folder});
  const std::vector<const PowerSeries*> series = chosen_series(log, {});
  find_clock_offset(timings, series, source);
  const std::vector<PowerCurve> curves = curves_of(series, source);
  use_readable_whole(curves, source, timings);
  // Otherwise the timed iterations of the program have no energy if they ended before the log begins.
  if (timings.full && longest_window(*timings.full).end_ns < series.front()->samples.front().unix_ns)
    timings.full.reset();
  add_curves(curves, source);
  return LogIntegration(timings, curves, source).energies();
}

}  // namespace

nlohmann::ordered_json power_meter_json(const std::optional<MeterFacts>& logged) {
  if (!logged) return {};
  return write_fields(logged_meter(*logged));
}

std::optional<LogEnergies> integrate_own_logs(const fs::path& folder, const MeterFacts& meter) {
  const std::vector<fs::path> logs = logs_in(folder);
  if (logs.empty()) return {};
  try {
    LogEnergies energies = integrated(logs, folder, meter);
    const LogDoubts doubts = doubts_of(energies);
    for (const auto* lines : {&doubts.warnings, &doubts.missing})
      for (const std::string& line : *lines) print_warning("{}", line);
    write_energies(energies, folder);
    return energies;
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {
    print_warning("the power log gives no energy: {}", error.line());
    return {};
  }
}

}  // namespace kjoule
