#include "cli/compare/pause_notice.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

/// Time to verify the replay and to plan, and for each kernel in isolation, s.
constexpr double kPreparing_s = 1, kIsolated_s = 0.03;
/// Environment variable: the seconds without progress after which PyTorch ends a rank.
constexpr const char* kHeartbeat = "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC";
constexpr double kEnough = 10;  ///< recommended value of this variable, as a multiple of the pause
/// Time for idle power and settling in addition to blocks, as a share of the time limit for energy.
constexpr double kAroundBlocks = 0.3;

/// Returns the time of the program's own iteration, s; 0 if it was not timed.
double own_iteration_s(const Recording& recording) {
  const auto seconds = recording.program.value("/seen/iteration_s"_json_pointer, std::vector<double>());
  return seconds.empty() ? 0 : median(seconds);
}

}  // namespace

double expected_pause_s(const Recording& recording, const RoundOptions& rounds, const EnergyOptions* energy) {
  double seconds = kPreparing_s + stamped_limit_s(rounds, own_iteration_s(recording));
  seconds += kIsolated_s * static_cast<double>(kernel_table(recording).kernels.size());
  seconds *= recording.program.value("ranks", 1);  // the times of ranks are measured one after another
  return energy == nullptr ? seconds : seconds + (1 + kAroundBlocks) * energy->time_limit_s;
}

double expected_blocks_s(double each_s, int alone) {
  constexpr int kOfOthers = 2 * 3;  // for each tier: with its kernels, without them, and with them again
  return each_s * (1 + alone + kOfOthers);
}

std::string pause_notice(double seconds) {
  return fmt::format(
      "the program is paused while it is measured, for about {:.0f} s; Ctrl-C ends kjoule and keeps the "
      "measured results",
      seconds);
}

std::string watchdog_warning(double seconds) {
  const char* limit = std::getenv(kHeartbeat);
  if (limit == nullptr) return {};
  const double limit_s = std::strtod(limit, nullptr);
  if (!(limit_s > 0) || limit_s > seconds) return {};
  return fmt::format("{}={} may end the program during its pause of about {:.0f} s; set it to {:.0f}",
                     kHeartbeat, limit, seconds, kEnough * seconds);
}

}  // namespace kjoule
