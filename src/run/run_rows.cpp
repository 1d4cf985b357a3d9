#include "run/run_rows.hpp"

#include "base/error.hpp"
#include "base/optional_json.hpp"
#include "run/rows.hpp"

namespace kjoule {

std::optional<Observation> observation_in(const std::vector<nlohmann::json>& rows) {
  const nlohmann::json* row = find_row(rows, "timeline");
  if (row == nullptr) return std::nullopt;
  if (row->contains("error")) throw Error(row->at("error").get<std::string>());
  return observation_from_json(*row);
}

nlohmann::json run_header(const std::vector<nlohmann::json>& rows) {
  nlohmann::json header = rows.at(0);
  header.erase("kind");
  for (const auto& row : rows) {
    if (row.at("kind") != "load") continue;
    header["load"].push_back(row);
    header["load"].back().erase("kind");
  }
  return header;
}

FullTiming full_timing(const std::vector<nlohmann::json>& rows) {
  const nlohmann::json* row = find_row(rows, "whole");
  if (row == nullptr) throw Error("the whole has not been measured", "kjoule full measures it");
  return {row->at("seconds"),       row->at("warmup"),   row->at("start_timestamp"),
          row->at("end_timestamp"), row->at("begin_ns"), row->at("end_ns")};
}

std::map<uint32_t, std::string> excluded_kernels(const std::vector<nlohmann::json>& rows) {
  std::map<uint32_t, std::string> excluded;
  for (const auto& row : rows)
    if (row.at("kind") == "excluded") excluded.emplace(row.at("kernel").get<uint32_t>(), row.at("error"));
  return excluded;
}

std::set<LaunchIndex> excluded_launches(const KernelTable& table, const std::vector<nlohmann::json>& rows) {
  std::set<LaunchIndex> excluded;
  for (const auto& [kernel, why] : excluded_kernels(rows))
    excluded.insert(table.kernels.at(kernel).places.begin(), table.kernels.at(kernel).places.end());
  return excluded;
}

std::optional<double> idle_w_in(const std::vector<nlohmann::json>& rows) {
  const nlohmann::json* row = find_row(rows, "energy_idle");
  return row == nullptr ? std::nullopt : if_there<double>(*row, "mean_w");
}

}  // namespace kjoule
