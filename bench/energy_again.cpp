// Estimates energies anew from the readings of earlier runs, one JSON line a run; bench/energy_again shows
// them.
//
// usage: energy-again READINGS.jsonl     rows of kind energy_plan and energy_block, each with its workload
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "measure/energy/energy_estimate.hpp"

namespace {

using namespace kjoule;
using Json = nlohmann::json;

constexpr size_t kCounter = 0;  // the first meter of a reading

struct Run {
  std::string workload;
  EnergyPlan plan;
  std::vector<EnergyBlock> blocks;
};

/// Rows that are kept tell how many kernels and launches a group has, not which: they do not matter here.
EnergyPlan plan_of(Json row) {
  for (Json& group : row.at("groups")) group["kernels"] = group["launches"] = Json::array();
  if (!row.contains("meters")) row["meters"] = Json::array();
  return read_fields<EnergyPlan>(row, "energy_plan");
}

/// Throws Error where the file is not there, or a block comes before any plan.
std::vector<Run> read_runs(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(path + " cannot be read");
  std::vector<Run> runs;
  for (std::string line; std::getline(file, line);) {
    const Json row = Json::parse(line);
    if (row.at("kind") == "energy_plan") {
      runs.push_back({row.at("workload"), plan_of(row), {}});
      continue;
    }
    if (row.at("kind") != "energy_block") continue;
    if (runs.empty() || runs.back().workload != row.at("workload"))
      throw Error(path + ": a block behind no plan of its workload");
    runs.back().blocks.push_back(read_fields<EnergyBlock>(row, "energy_block"));
  }
  return runs;
}

/// Error against the whole and half-width, both in percent of it.
Json against(const Interval& sum_j, double whole_j) {
  return {100 * (sum_j.value / whole_j - 1), 100 * sum_j.half_width / whole_j};
}

/// Fields as in comparison_report.json, of the sum; the plan's iteration_s tells runs of one workload apart.
Json figures(const Run& run) {
  Json json{{"workload", run.workload}, {"iteration_us", 1e6 * run.plan.iteration_s}};
  const auto energy = estimate_energy(run.plan, run.blocks, kCounter);
  if (!energy) return json;
  const double whole_j = energy->whole_j.value, whole_w = energy->whole_w.value;
  const double error = energy->sum_j.value / whole_j - 1;
  json["whole_joules"] = whole_j;
  json["sum_joules"] = energy->sum_j.value;
  json["half_width_percent"] = 100 * energy->relative_half_width();
  json["error_percent"] = 100 * error;
  json["whole_watts"] = whole_w;
  json["sum_watts"] = energy->sum_w.value;
  json["groups_half_width_percent"] = Json::array();  // of the whole
  json["groups_own_half_width_percent"] = Json::array();
  for (const GroupEnergy& group : energy->groups) {
    json["groups_half_width_percent"].push_back(100 * group.joules.half_width / whole_j);
    json["groups_own_half_width_percent"].push_back(100 * group.joules.half_width / group.joules.value);
  }
  json["by_differences"] = against(energy->by_differences_j, whole_j);
  if (energy->by_replacement_j) json["by_replacement"] = against(*energy->by_replacement_j, whole_j);
  json["watts_error_percent"] = 100 * (energy->sum_w.value / whole_w - 1);
  return json;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: energy-again READINGS.jsonl\n");
    return 2;
  }
  try {
    for (const Run& run : read_runs(argv[1])) fmt::print("{}\n", figures(run).dump());
  } catch (const std::exception& error) {
    fmt::print(stderr, "energy-again: {}\n", error.what());
    return 1;
  }
  return 0;
}
