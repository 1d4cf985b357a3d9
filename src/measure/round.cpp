#include "measure/round.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/optional_json.hpp"

namespace kjoule {

namespace {

/// Tenths of a nanosecond: finer than any clock that stamps are written with.
std::vector<double> rounded_ns(const std::vector<double>& seconds) {
  std::vector<double> ns;
  for (const double value : seconds) ns.push_back(std::round(value * 1e10) / 10);
  return ns;
}

std::vector<double> seconds_of(const nlohmann::json& ns) {
  std::vector<double> seconds;
  for (const double value : ns) seconds.push_back(value * 1e-9);
  return seconds;
}

/// Stamps as the place of the first one and the gaps between them, which are small numbers.
nlohmann::json to_json(const StampedGraph& graph) {
  std::vector<uint32_t> gaps;
  for (size_t i = 1; i < graph.after.size(); ++i) gaps.push_back(graph.after[i] - graph.after[i - 1]);
  return {{"first", graph.after.front()},
          {"gaps", gaps},
          {"mean_ns", rounded_ns(graph.mean_s)},
          {"spread_ns", rounded_ns(graph.spread_s)}};
}

StampedGraph graph_from_json(const nlohmann::json& json) {
  StampedGraph graph{
      {json.at("first").get<uint32_t>()}, seconds_of(json.at("mean_ns")), seconds_of(json.at("spread_ns"))};
  for (const uint32_t gap : json.at("gaps")) graph.after.push_back(graph.after.back() + gap);
  return graph;
}

nlohmann::json to_json(const std::vector<StampedGraph>& graphs) {
  nlohmann::json list = nlohmann::json::array();
  for (const StampedGraph& graph : graphs) list.push_back(to_json(graph));
  return list;
}

std::vector<StampedGraph> graphs_from_json(const nlohmann::json& list) {
  std::vector<StampedGraph> graphs;
  for (const nlohmann::json& json : list) graphs.push_back(graph_from_json(json));
  return graphs;
}

nlohmann::json to_json(const ClockedLaunches& times) {
  return {{"whole_s", times.whole_s}, {"played_s", times.played_s}, {"launch_s", times.launch_s}};
}

nlohmann::json to_json(const StampedLaunches& times) {
  nlohmann::json json{{"launches", times.launches},
                      {"iterations", times.iterations},
                      {"dense", to_json(times.dense)},
                      {"sparse", to_json(times.sparse)},
                      {"wholes", to_json(times.wholes)}};
  if (times.whole_clock_hz) json["whole_clock_hz"] = *times.whole_clock_hz;
  if (times.sum_clock_hz) json["sum_clock_hz"] = *times.sum_clock_hz;
  return json;
}

std::variant<ClockedLaunches, StampedLaunches> times_from_row(const nlohmann::json& row) {
  if (row.contains("launch_s"))
    return ClockedLaunches{row.at("whole_s"), row.at("played_s"), row.at("launch_s")};
  return StampedLaunches{row.at("launches"),
                         row.at("iterations"),
                         graphs_from_json(row.at("dense")),
                         graphs_from_json(row.at("sparse")),
                         graphs_from_json(row.at("wholes")),
                         if_there<double>(row, "whole_clock_hz"),
                         if_there<double>(row, "sum_clock_hz")};
}

}  // namespace

nlohmann::json to_row(const Round& round) {
  nlohmann::json row = std::visit([](const auto& times) { return to_json(times); }, round.times);
  row.update({{"kind", "round"},
              {"round", round.number},
              {"begin_ns", round.begin_ns},
              {"end_ns", round.end_ns},
              {"spent_ns", round.spent_ns}});
  return row;
}

Round round_from_row(const nlohmann::json& row) {
  try {
    return {row.at("round"), times_from_row(row), row.at("begin_ns"), row.at("end_ns"), row.at("spent_ns")};
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("a round in results.jsonl is damaged: ") + error.what(),
                "measure again without --resume");
  }
}

}  // namespace kjoule
