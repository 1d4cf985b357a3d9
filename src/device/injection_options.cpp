#include "device/injection_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr const char* kSocket = "KJOULE_SOCKET";
constexpr const char* kAfter = "KJOULE_AFTER_RECORDING";
constexpr const char* kRange = "KJOULE_RANGE";
constexpr const char* kIterations = "KJOULE_ITERATIONS";
constexpr const char* kLoop = "KJOULE_LOOP_MS";
constexpr const char* kWindows = "KJOULE_WINDOWS";
constexpr const char* kSkip = "KJOULE_SKIP_ITERATIONS";
constexpr const char* kTimed = "KJOULE_TIMED_ITERATIONS";
constexpr const char* kGpu = "KJOULE_GPU";
constexpr const char* kRank = "KJOULE_RANK";
constexpr const char* kRankBoard = "KJOULE_RANK_BOARD";
constexpr const char* kRunLog = "KJOULE_RUN_LOG";
constexpr const char* kWaitsAs = "KJOULE_WAITS_AS";
constexpr const char* kPause = "pause";
constexpr const char* kGoOn = "go-on";
constexpr const char* kRunOn = "run-on";

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

const char* text_of(InjectionOptions::After after) {
  switch (after) {
    case InjectionOptions::After::pause:
      return kPause;
    case InjectionOptions::After::go_on:
      return kGoOn;
    case InjectionOptions::After::run_on:
      break;
  }
  return kRunOn;
}

/// Reader of environment variables. An empty variable counts as not set.
class Variables {
 public:
  explicit Variables(const Environment& all) : all_(all) {}

  std::string text(const char* name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? "" : found->second;
  }
  std::optional<int64_t> whole(const char* name) const {
    const std::string value = text(name);
    if (value.empty()) return {};
    const auto read = number(value);
    if (!read) throw not_understood(name, value);
    return read;
  }
  InjectionOptions::After after() const {
    const std::string value = text(kAfter);
    if (value.empty()) return InjectionOptions::After::pause;
    for (const auto after :
         {InjectionOptions::After::pause, InjectionOptions::After::go_on, InjectionOptions::After::run_on})
      if (value == text_of(after)) return after;
    throw not_understood(kAfter, value);
  }

 private:
  static Error not_understood(const char* name, const std::string& value) {
    return Error(
        fmt::format("the environment variable {}={} has a value that kjoule does not know", name, value),
        "unset it; kjoule and libkjoule_inject.so must come from the same build");
  }
  const Environment& all_;
};

template <class Number>
std::string text_of(const std::optional<Number>& value) {
  return value ? std::to_string(*value) : "";
}

}  // namespace

LaunchSpan parse_launch_span(const std::string& text) {
  const size_t dots = text.find("..");
  if (dots != std::string::npos) {
    const auto first = number(std::string_view(text).substr(0, dots));
    const auto last = number(std::string_view(text).substr(dots + 2));
    if (first && last && *first >= 0 && *first < *last) return {*first, *last};
  }
  throw UsageError("--iterations " + text + ": this is not a range of launches",
                   "write A..B, for example 1200..1500; launch B is not included");
}

Environment InjectionOptions::to_environment() const {
  return {
      {kSocket, socket},
      {kAfter, text_of(after)},
      {kRange, nvtx_range},
      {kIterations,
       iteration_launches ? fmt::format("{}..{}", iteration_launches->first, iteration_launches->last) : ""},
      {kLoop, std::to_string(std::llround(loop_s * 1000))},
      {kWindows, windows},
      {kSkip, std::to_string(skip_iterations)},
      {kTimed, std::to_string(timed_iterations)},
      {kGpu, text_of(gpu)},
      {kRank, text_of(rank)},
      {kRankBoard, rank_board},
      {kRunLog, run_log},
      {kWaitsAs, waits_as}};
}

InjectionOptions InjectionOptions::parse(const Environment& environment) {
  const Variables variables(environment);
  InjectionOptions options;
  options.socket = variables.text(kSocket);
  options.after = variables.after();
  options.nvtx_range = variables.text(kRange);
  const std::string span = variables.text(kIterations);
  if (!span.empty()) options.iteration_launches = parse_launch_span(span);
  if (const auto ms = variables.whole(kLoop)) options.loop_s = static_cast<double>(*ms) / 1000;
  options.windows = variables.text(kWindows);
  options.skip_iterations = variables.whole(kSkip).value_or(0);
  options.timed_iterations = variables.whole(kTimed).value_or(options.timed_iterations);
  if (const auto gpu = variables.whole(kGpu)) options.gpu = static_cast<int>(*gpu);
  if (const auto rank = variables.whole(kRank)) options.rank = static_cast<int>(*rank);
  options.rank_board = variables.text(kRankBoard);
  options.run_log = variables.text(kRunLog);
  options.waits_as = variables.text(kWaitsAs);
  return options;
}

std::optional<InjectionOptions> InjectionOptions::from_environment() {
  Environment own;
  for (const auto& [name, unset] : InjectionOptions().to_environment())
    if (const char* value = std::getenv(name.c_str())) own[name] = value;
  InjectionOptions options = parse(own);
  if (options.socket.empty() && options.run_log.empty() && options.waits_as.empty()) return {};
  return options;
}

bool is_measured_rank(const InjectionOptions& options) {
  if (!options.rank) return true;
  for (const char* name : {"RANK", "LOCAL_RANK"})
    if (const char* own = std::getenv(name); own != nullptr && *own != '\0')
      return number(own) == *options.rank;
  return false;
}

}  // namespace kjoule
