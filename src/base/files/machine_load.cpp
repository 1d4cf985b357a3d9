#include "base/files/machine_load.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/text/counted.hpp"

namespace kjoule {

namespace {

constexpr auto kSampleTime = std::chrono::milliseconds(200);
/// The number of cores that the system's own work keeps busy on every machine, which do not affect
/// measurements.
constexpr double kHousekeeping_cores = 0.2;

struct CpuTime {
  double all = 0;
  double idle = 0;
};

/// Returns the times in the first line of /proc/stat: user nice system idle iowait irq softirq steal. Stolen
/// time counts as busy, because another guest used the core.
std::optional<CpuTime> cpu_time(std::string_view stat) {
  std::istringstream line{std::string(stat.substr(0, stat.find('\n')))};
  std::string name;
  std::array<double, 8> ticks{};
  line >> name;
  for (double& tick : ticks) line >> tick;
  if (!line || name != "cpu") return {};
  CpuTime time;
  for (const double tick : ticks) time.all += tick;
  time.idle = ticks[3] + ticks[4];
  return time;
}

/// Returns the contents of a file; empty if there is no such file.
std::string text_of(const char* path) {
  try {
    return read_text(path);
  } catch (const Error&) {
    return {};
  }
}

bool may_disturb(const MachineLoad& load, int threads) {
  return load.average > static_cast<double>(load.cores) - threads;
}

}  // namespace

std::optional<double> available_memory_bytes() {
  constexpr std::string_view kKey = "MemAvailable:";
  const std::string text = text_of("/proc/meminfo");
  const size_t place = text.find(kKey);
  if (place == std::string::npos) return {};
  return 1024 * std::strtod(text.c_str() + place + kKey.size(), nullptr);
}

std::optional<double> busy_cores(std::string_view before, std::string_view after, unsigned cores) {
  const auto first = cpu_time(before);
  const auto last = cpu_time(after);
  if (!first || !last || last->all <= first->all) return {};
  return cores * std::clamp(1 - (last->idle - first->idle) / (last->all - first->all), 0.0, 1.0);
}

MachineLoad machine_load(int threads) {
  MachineLoad load;
  load.cores = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  if (getloadavg(&load.average, 1) != 1) load.average = 0;
  if (!may_disturb(load, threads)) return load;
  const std::string before = text_of("/proc/stat");
  std::this_thread::sleep_for(kSampleTime);
  load.busy_cores = busy_cores(before, text_of("/proc/stat"), load.cores);
  return load;
}

std::string load_warning(const MachineLoad& load, int threads) {
  if (!may_disturb(load, threads)) return {};
  const double left = static_cast<double>(load.cores) - load.busy_cores.value_or(load.average);
  if (left + kHousekeeping_cores >= threads) return {};
  return fmt::format(
      "other programs keep {:.1f} of {} cores busy (load average {:.1f}), which leaves too few for the {} "
      "{} measured, so these times are not reliable; end the other programs, or use fewer --threads",
      load.busy_cores.value_or(load.average), load.cores, load.average, threads,
      agreeing(static_cast<size_t>(threads), "thread that is", "threads that are"));
}

nlohmann::json load_json(const MachineLoad& load, int threads) {
  nlohmann::json json{{"cores", load.cores}, {"load_average", load.average}, {"threads", threads}};
  if (load.busy_cores) json["busy_cores"] = *load.busy_cores;
  if (const std::string warning = load_warning(load, threads); !warning.empty()) json["warnings"] = {warning};
  return json;
}

}  // namespace kjoule
