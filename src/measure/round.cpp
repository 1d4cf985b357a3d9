#include "measure/round.hpp"

#include "base/error.hpp"
#include "base/optional_json.hpp"

namespace kjoule {

nlohmann::json to_row(const Round& round) {
  nlohmann::json row{{"kind", "round"},
                     {"round", round.number},
                     {"window", round.window},
                     {"whole_s", round.whole_s},
                     {"eager_s", round.eager_s},
                     {"played_s", round.played_s},
                     {"in_context_s", round.in_context_s},
                     {"timeline_s", round.timeline_s},
                     {"begin_ns", round.begin_ns},
                     {"end_ns", round.end_ns},
                     {"spent_ns", round.spent_ns}};
  if (round.among_s) row["among_s"] = *round.among_s;
  if (round.whole_clock_hz) row["whole_clock_hz"] = *round.whole_clock_hz;
  if (round.sweep_clock_hz) row["sweep_clock_hz"] = *round.sweep_clock_hz;
  return row;
}

Round round_from_row(const nlohmann::json& row) {
  try {
    return {row.at("round"),
            row.at("window"),
            row.at("whole_s"),
            row.at("eager_s"),
            row.at("played_s"),
            row.at("in_context_s"),
            row.at("timeline_s"),
            if_there<double>(row, "among_s"),
            if_there<double>(row, "whole_clock_hz"),
            if_there<double>(row, "sweep_clock_hz"),
            row.at("begin_ns"),
            row.at("end_ns"),
            row.at("spent_ns")};
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("a round in results.jsonl is damaged: ") + error.what(),
                "measure again without --resume");
  }
}

}  // namespace kjoule
