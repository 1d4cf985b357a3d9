#include "compare/changes/start_share.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/numbers/statistics.hpp"
#include "compare/iteration/start_spread.hpp"

namespace kjoule {

namespace {

constexpr size_t kFewestStarts = 3;

/// Sum of the squared deviations of an iteration's times in several starts from their mean, as shares of the
/// mean, with the degrees of freedom.
struct Deviations {
  double squares = 0;
  size_t degrees = 0;

  void add(const BaselineIteration& iteration) {
    if (iteration.other_starts_s.size() + 1 < kFewestStarts) return;
    std::vector<double> starts = iteration.other_starts_s;
    starts.push_back(iteration.whole_s.value);
    const double mean_s = mean(starts);
    for (const double start : starts) squares += std::pow(start / mean_s - 1, 2);
    degrees += starts.size() - 1;
  }
};

}  // namespace

StartShare start_share(const Baseline& before, const Baseline& after) {
  Deviations deviations;
  for (const Baseline* baseline : {&before, &after})
    for (const BaselineIteration& iteration : baseline->iterations) deviations.add(iteration);
  if (deviations.degrees > 0) {
    const auto degrees = static_cast<double>(deviations.degrees);
    return {student_t95(degrees) * std::sqrt(2 * deviations.squares / degrees), "measured with --starts"};
  }
  if (before.device.kind == "simulated" && after.device.kind == "simulated") return {0.0, "simulated"};
  if (before.device.kind != "cuda" || after.device.kind != "cuda")
    return {{}, "not known for this device (measure it with kjoule compare --starts 3)"};
  const StartSpread spread = bundled_start_spread();
  const bool same_board = !before.device.uuid.empty() && before.device.uuid == after.device.uuid;
  const double sd_percent = same_board ? spread.same_board_sd_percent : spread.other_board_sd_percent;
  return {2 * std::sqrt(2.0) * sd_percent / 100,
          fmt::format("measured on {} programs that were started repeatedly on {} (kjoule compare --starts 3 "
                      "measures it for your program)",
                      spread.programs, same_board ? "the same GPU" : "different GPUs of one model")};
}

}  // namespace kjoule
