#include "measure/round.hpp"

#include "base/error.hpp"

namespace kjoule {

nlohmann::json to_row(const Round& round) {
  return {{"kind", "round"},
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
}

Round round_from_row(const nlohmann::json& row) {
  try {
    return {row.at("round"),    row.at("window"),       row.at("whole_s"),    row.at("eager_s"),
            row.at("played_s"), row.at("in_context_s"), row.at("timeline_s"), row.at("begin_ns"),
            row.at("end_ns"),   row.at("spent_ns")};
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("a round in results.jsonl is damaged: ") + error.what(),
                "measure again without --resume");
  }
}

}  // namespace kjoule
