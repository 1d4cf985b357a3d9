#include "report/iteration_timeline.hpp"

#include "run/run_rows.hpp"

namespace kjoule {

std::optional<Timeline> iteration_timeline(const Recording& recording, const RowList& rows,
                                           const Comparison& comparison) {
  const nlohmann::json header = run_header(rows);
  const std::string title = header.at("title");
  if (const std::optional<Observation> seen = observation_in(rows))
    return make_timeline(title, recording, seen->iteration);
  if (header.value("/device/kind"_json_pointer, "") == "cpu")
    return sequential_timeline(title, recording, comparison.times.launch_s);
  return {};
}

}  // namespace kjoule
