#include "timeline.hpp"

#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>

#include "hooks.hpp"
#include "scramble.hpp"

namespace stand_in {

namespace {

constexpr double kRecordNs = 700;
constexpr double kShortestNs = 2000;
constexpr double kNoise = 0.002;

double fraction(uint64_t v) {
  return static_cast<double>(scramble(v) >> 11) * 0x1p-53;
}

/// Returns a factor for the time of an operation after another one, because times in isolation and in context
/// differ: a kernel after itself finds its data in the caches, and a kernel after nothing does not.
double context_factor(uint64_t what, uint64_t before) {
  if (before == 0) return 1.05;
  if (before == what) return 0.88;
  return 0.97 + 0.06 * fraction(what * 31 + before);
}

double noise() {
  static const char* seed = std::getenv("FAKE_CUDA_SEED");
  if (seed == nullptr) return 1;
  static std::mt19937_64 random(std::strtoull(seed, nullptr, 10));
  static std::normal_distribution<double> around(1, kNoise);
  return around(random);
}

}  // namespace

double slowness() {
  static const char* asked = std::getenv("FAKE_CUDA_SLOWNESS");
  static const double factor = asked == nullptr ? 1 : std::strtod(asked, nullptr);
  return factor;
}

double run_at(Position& position, uint64_t what, size_t bytes, double bytes_a_ns) {
  const double alone = kShortestNs * (1 + fraction(what)) + static_cast<double>(bytes) / bytes_a_ns;
  const double duration = alone * context_factor(what, position.before) * noise() * slowness();
  position.free_ns += duration;
  position.before = what;
  return duration;
}

void drain_at(Position& position) {
  position.free_ns += kRecordNs;
  position.before = 0;
}

uint64_t identity_of(const std::string& name) {
  return std::hash<std::string>()(name) | 1;
}

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

}  // namespace stand_in
