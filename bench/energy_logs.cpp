// Offline integration against the truth of generated logs, and the log of a day.
//
// usage: energy-logs accuracy FIRST_SEED COUNT   one CSV row a log
//        energy-logs day FOLDER                  writes a day's log at 25 Hz and the timing of 144 kernels
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "base/files/files.hpp"
#include "power/integrate.hpp"
#include "power/logs/power_log_reader.hpp"
#include "power/logs/power_log_writer.hpp"
#include "power/timestamp.hpp"

namespace {

using namespace kjoule;

constexpr int64_t kStart_ns = 1'770'000'000'000'000'000;

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  double between(double low, double high) { return low + (high - low) * unit(); }
  int below(int n) { return static_cast<int>(unit() * n); }
  bool with_chance(double share) { return unit() < share; }

 private:
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::mt19937_64 engine_;
};

/// A power that is known at every time, with its integral. Smooth: sines, none faster than the meter can
/// follow, and ramps between levels. Stepped: what jumps between levels at any time.
struct Truth {
  struct Sine {
    double watts, period_s, phase;
  };
  struct Point {
    double s, watts;
  };
  bool stepped = false;
  std::vector<Sine> sines;
  std::vector<Point> points;

  double level_at(double s) const {
    const auto next =
        std::upper_bound(points.begin(), points.end(), s, [](double t, const Point& p) { return t < p.s; });
    const Point& a = *(next - 1);
    if (stepped || next == points.end()) return a.watts;
    return a.watts + (next->watts - a.watts) * (s - a.s) / (next->s - a.s);
  }
  double watts(double s) const {
    double sum = level_at(s);
    for (const Sine& sine : sines)
      sum += sine.watts * std::sin(2 * std::numbers::pi * s / sine.period_s + sine.phase);
    return sum;
  }
  double joules(double from, double to) const {
    double sum = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      const double a = std::max(points[i].s, from),
                   b = i + 1 < points.size() ? std::min(points[i + 1].s, to) : to;
      if (b <= a) continue;
      const double end = stepped || i + 1 == points.size()
                             ? points[i].watts
                             : points[i].watts + (points[i + 1].watts - points[i].watts) * (b - points[i].s) /
                                                     (points[i + 1].s - points[i].s);
      sum += (b - a) * (level_at(a) + end) / 2;
    }
    for (const Sine& sine : sines) {
      const double omega = 2 * std::numbers::pi / sine.period_s;
      sum += sine.watts / omega * (std::cos(omega * from + sine.phase) - std::cos(omega * to + sine.phase));
    }
    return sum;
  }
};

Truth any_truth(Random& random, bool stepped, double hz, double length_s) {
  Truth truth;
  truth.stepped = stepped;
  const double interval_s = 1 / hz, base = random.between(80, 500);
  if (!stepped)
    for (int n = random.below(4); n > 0; --n)
      truth.sines.push_back(
          {base * random.between(0.02, 0.2), interval_s * random.between(20, 400), random.between(0, 6.3)});
  // Between jumps the power ripples, as real loads do: a log that stands still has no energy.
  if (stepped) truth.sines.push_back({base * 0.002, interval_s * 37, 0});
  for (double s = -1; s < length_s;) {
    truth.points.push_back({s, base * random.between(1, 2.5)});
    s += stepped ? length_s * random.between(0.05, 0.4) : interval_s * random.between(20, 400);
  }
  return truth;
}

struct Generated {
  PowerLog log;
  double hz = 0, length_s = 0;
};

/// Readings at jittered times; some are lost, sometimes many at once.
Generated any_log(Random& random, const Truth& truth, double hz, double length_s) {
  Generated made{{}, hz, length_s};
  constexpr const char* kFormats[] = {"gpu", "nvidia-smi", "wattsup"};
  // a WattsUp has whole seconds, for which jitter is not in the log
  made.log.format = kFormats[random.below(hz == 1 ? 3 : 2)];
  const bool wattsup = made.log.format == "wattsup";
  PowerSeries series{wattsup ? "pm1" : "gpu 0", {}};
  const double jitter = wattsup ? 0 : random.between(0, 0.4);
  const double lost = random.with_chance(0.5) ? random.between(0, 0.03) : 0;
  const bool has_gap = random.with_chance(0.3);
  const double gap_s = random.between(0, length_s), gap_length_s = random.between(3, 20) / hz;
  for (double s = 0; s <= length_s; s += 1 / hz) {
    if (random.with_chance(lost) || (has_gap && s > gap_s && s < gap_s + gap_length_s)) continue;
    const int64_t ms = std::llround(1000 * (s + jitter * random.between(-0.5, 0.5) / hz));
    series.samples.push_back({kStart_ns + ms * 1'000'000, truth.watts(static_cast<double>(ms) / 1000)});
  }
  made.log.series.push_back(std::move(series));
  return made;
}

void accuracy(uint64_t seed, const std::filesystem::path& folder) {
  Random random(seed);
  const bool stepped = seed % 4 == 0;
  const double hz = random.with_chance(0.3) ? 1 : random.between(1, 50);
  const double length_s = random.between(300, 3000) / hz;
  const Truth truth = any_truth(random, stepped, hz, length_s);
  const Generated made = any_log(random, truth, hz, length_s);
  const auto path = folder / "log.csv";
  write_power_log(path, made.log);
  const PowerLog log = read_power_log(path);
  // a tenth of the log is left at each side, and the window is at least a quarter of it
  const double from = length_s * random.between(0.02, 0.3), to = from + length_s * random.between(0.25, 0.65);
  const PowerCurve curve(log.series.at(0), 0);
  const WindowEnergy energy =
      curve.energy({kStart_ns + std::llround(from * 1e9), kStart_ns + std::llround(to * 1e9)});
  const double joules = truth.joules(from, to);
  const std::string number =
      energy.joules ? fmt::format("{:.6f},{:.6f},{:d}", 100 * (energy.joules->value / joules - 1),
                                  100 * energy.joules->half_width / joules,
                                  std::abs(energy.joules->value - joules) <= energy.joules->half_width)
                    : std::string(",,");
  fmt::print("{},{},{},{:.3f},{:.1f},{},{},{},{}\n", seed, stepped ? "stepped" : "smooth", made.log.format,
             hz, to - from, energy.samples, energy.gaps.size(), number, energy.missing);
}

void day(const std::filesystem::path& folder) {
  PowerLog log;
  log.format = "gpu";
  log.series.push_back({"gpu 0", {}});
  Random random(1);
  constexpr int64_t kSamples = 25 * 86'400, kInterval_ns = 40'000'000;
  for (int64_t i = 0; i < kSamples; ++i)
    log.series[0].samples.push_back({kStart_ns + i * kInterval_ns, random.between(200, 700)});
  write_power_log(folder / "power_day.csv", log);
  nlohmann::ordered_json kernels;
  constexpr int64_t kKernels = 144, kWindow_ns = 500'000'000'000;
  for (int64_t k = 0; k < kKernels; ++k) {
    const int64_t begin = kStart_ns + (k + 1) * 580'000'000'000;
    kernels.push_back({{"name", fmt::format("kernel {}", k)},
                       {"tier", 3},
                       {"invocation_count", 24},
                       {"benchmark_runs", 1000},
                       {"single_time_us", 5e5},
                       {"start_timestamp", local_timestamp(begin)},
                       {"end_timestamp", local_timestamp(begin + kWindow_ns)},
                       {"signature", "s"}});
  }
  write_json(folder / "isolated_kernels_timing.json", {{"kernels", kernels}});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "day" && argc == 3) {
    day(argv[2]);
    return 0;
  }
  if (what != "accuracy" || argc != 4) {
    fmt::print(stderr, "usage: energy-logs accuracy FIRST_SEED COUNT | day FOLDER\n");
    return 2;
  }
  std::string name = (std::filesystem::temp_directory_path() / "energy-logs-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return 1;
  fmt::print("seed,kind,format,hz,window_s,samples,gaps,error_percent,half_width_percent,covered,missing\n");
  const auto first = static_cast<uint64_t>(std::atoll(argv[2]));
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(std::atoll(argv[3])); ++seed)
    accuracy(seed, name);
  std::filesystem::remove_all(name);
  return 0;
}
