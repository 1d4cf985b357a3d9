// MeasuredRun::energy(): the step of a run that measures energy.
#include <fmt/format.h>

#include <algorithm>

#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "measure/energy/cache_choice.hpp"
#include "measure/energy/energy_measurement.hpp"
#include "run/board_sensor.hpp"
#include "run/energy_meters.hpp"
#include "run/idle_readings.hpp"
#include "run/measured_run.hpp"
#include "run/meter_notes.hpp"

namespace kjoule {

namespace {

/// Returns a file name without the suffix, such as "power_bloom_20260204_101505".
std::string power_log_name(const std::string& title, const std::string& local_time) {
  std::string name = "power_";
  for (const char c : title.substr(0, title.find(" on ")).substr(0, 60))
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  std::string digits;
  for (const char c : local_time.substr(0, 19))
    if (std::isdigit(static_cast<unsigned char>(c))) digits += c;
  return fmt::format("{}_{}_{}", name, digits.substr(0, 8), digits.substr(8));
}

/// Returns the path of a new power log. Each start of kjoule that measures energy has its own log.
std::filesystem::path unused_log(const std::filesystem::path& folder, const std::string& title,
                                 const std::string& local_time) {
  const std::string name = power_log_name(title, local_time);
  std::filesystem::path path = folder / (name + ".csv");
  std::error_code ignored;
  for (int n = 2; std::filesystem::exists(path, ignored); ++n)
    path = folder / fmt::format("{}_{}.csv", name, n);
  return path;
}

/// Returns whether a row describes energy readings, which depend on the earlier state of device and meters.
bool is_of_energy(const nlohmann::json& row) {
  const auto& kind = row.at("kind");
  return kind == EnergyPlan::kKind || kind == IdlePower::kKind || kind == EnergyBlock::kKind;
}

}  // namespace

/// Returns the plan in the folder, or makes a new one. In virtual time, a plan is always made again.
EnergyPlan MeasuredRun::energy_plan(std::span<MeterRecord> meters, double time_limit_s) {
  auto earlier = rows().first<EnergyPlan>();
  if (earlier && again_.empty()) return *std::move(earlier);
  const SumEstimate times = estimate(table_, timed(), rows().all<Round>());
  const std::set<LaunchIndex> excluded = excluded_launches(table_, rows());
  EnergyPlan plan = make_energy_plan(
      earlier ? std::move(earlier->groups)
              : energy_groups(table_, times, excluded, time_limit_s, meters.front().meter().facts()),
      times.whole_s.value, meters.front().meter().facts());
  set_edges(timed(), plan);
  choose_caches(*subject_.device, plan);
  read_restoring(*subject_.device, meters, plan);
  for (const MeterRecord& record : meters) plan.meters.push_back(facts_json(record.meter().facts()));
  plan.end_ns = subject_.clock->now_ns();
  append(plan);
  return plan;
}

void MeasuredRun::energy(EnergyMeters& opened, const EnergyOptions& options) {
  const auto earlier = rows().last<StoppedEnergy>();
  if (earlier && earlier->missing.empty()) return;
  const StoppedEnergy stopped = opened.meters.empty()
                                    ? StoppedEnergy{"", opened.lack, {}, subject_.clock->now_ns()}
                                    : measure_energy_of_run(opened, options);
  again_.clear();
  if (!earlier || earlier->missing != stopped.missing) append(stopped);
  subject_.continue_at(rows().latest_end_ns());
}

/// Sets a device in virtual time back to the end of the rows before those of energy. Energy readings depend
/// on the earlier state of device and meters, so they are all measured again, and must give the rows of the
/// folder.
void MeasuredRun::begin_energy(EnergyMeters& opened) {
  opened.poll();
  if (!subject_.restart || opened.real_time) return;
  RowList before;
  for (const nlohmann::json& row : rows().list())
    if (is_of_energy(row)) again_.push_back(row);
  for (const nlohmann::json& row : rows().list()) {
    if (is_of_energy(row) || row.at("kind") == StoppedEnergy::kKind) break;
    before.append(row);
  }
  subject_.restart(before.latest_end_ns(), kEnergyRound);
  opened.meters = subject_.own_meters();
}

void MeasuredRun::log_power(EnergyMeters& opened) {
  if (opened.meters.empty() || opened.is_logged()) return;
  unless_meter_fails(opened, [&] { opened.begin_log(new_power_log()); });
}

void MeasuredRun::unless_meter_fails(EnergyMeters& opened, const std::function<void()>& step) {
  if (opened.is_named || opened.meters.empty()) return step();
  try {
    step();
  } catch (const WriteError&) {
    throw;
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) {
    opened.close();
    opened.block_s = 0;
    opened.lack = error.what();
    print_warning("{}; the run continues without this power meter", error.line());
  }
}

std::filesystem::path MeasuredRun::new_power_log() const {
  return unused_log(folder_, run_header(rows()).at("title"),
                    subject_.clock->local_time(subject_.clock->now_ns()));
}

void MeasuredRun::keep_energy(const EnergyRows& energy) {
  if (energy.plan) append(*energy.plan);
  if (energy.idle) append(*energy.idle);
  if (energy.block) append(*energy.block);
  if (energy.wholes) append(*energy.wholes);
  if (energy.stopped) append(*energy.stopped);
}

/// Measures the energy. If the device or a meter fails, the result contains the error as the reason for
/// missing energy.
StoppedEnergy MeasuredRun::measure_energy_of_run(EnergyMeters& opened, const EnergyOptions& options) {
  if (opened.may_probe && options_.resume.empty()) probe_unknown_board(opened);
  progress_->stage("measuring energy");
  begin_energy(opened);
  log_power(opened);
  StoppedEnergy stopped;
  if (opened.meters.empty()) return {"", opened.lack, {}, subject_.clock->now_ns()};
  try {
    stopped.by = to_string(measure_blocks(opened.meters, options));
  } catch (const WriteError&) {
    throw;
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    stopped.missing = error.what();
  } catch (const Error& error) {
    stopped.missing = error.what();
  }
  for (const auto& meter : opened.meters) add_notes(*meter, stopped.notes);
  // Meters that have failed give no energy of timed blocks.
  if (!stopped.missing.empty() && !opened.is_named) opened.block_s = 0;
  if (opened.block_s <= 0) opened.close();  // otherwise the meters are needed for the timed blocks
  stopped.end_ns = subject_.clock->now_ns();
  progress_->finish();
  return stopped;
}

Stopped MeasuredRun::measure_blocks(const std::vector<std::unique_ptr<Meter>>& meters,
                                    const EnergyOptions& options) {
  std::vector<MeterRecord> records = records_under_load(meters);
  const EnergyPlan plan = energy_plan(records, options.time_limit_s);
  once<IdlePower>([&] { return measure_idle(records.front(), options); });
  std::vector<EnergyBlock> blocks;
  if (again_.empty()) blocks = rows().all<EnergyBlock>();
  return measure_energy(
      *subject_.device, records, plan, options, blocks, [&](const EnergyBlock& block) { append(block); },
      *progress_);
}

/// Measures idle power, while the program is paused.
IdlePower MeasuredRun::measure_idle(MeterRecord& meter, const EnergyOptions& options) const {
  const IdleReadings idle = kjoule::measure_idle(subject_, {&meter, 1}, options);
  return {idle.mean_w.front(), idle.begin_ns, idle.end_ns};
}

}  // namespace kjoule
