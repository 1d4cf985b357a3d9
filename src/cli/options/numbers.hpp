#pragma once
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/text/parse_number.hpp"

namespace kjoule {

/// Upper limits of numbers on the command line (docs/design/trust.md). Each is far above what a measurement
/// can use, and so low that no computation with it overflows.
constexpr int64_t kMostThreads = 4096;
constexpr int64_t kMostRuns = 10'000'000;           ///< iterations of a program, runs of a layer, launches
constexpr int64_t kMostIterations = 1'000'000'000;  ///< iterations in a trace or table
constexpr int64_t kMostBytes = int64_t{1} << 60;    ///< of an unpacked trace
constexpr int64_t kMostShown = 1'000'000;           ///< kernels to show or to measure, phases
constexpr int64_t kMostParts = 100'000;             ///< parts of a sweep
constexpr int64_t kMostStarts = 1000;               ///< starts of a program
constexpr int64_t kMostGpuNumber = 4096;            ///< number of a GPU
constexpr int64_t kMostProcesses = 1 << 22;         ///< process id, which is that of Linux
constexpr int64_t kMostSize = std::numeric_limits<int32_t>::max();  ///< samples, tokens, sizes of a network
constexpr double kLeastDuration_s = 1e-6, kMostDuration_s = 1e8;

/// Checks of numbers with short messages, which state both limits. The messages of CLI11's own checks contain
/// the largest double with 309 digits.
inline CLI::Validator whole_number(int64_t least, int64_t most) {
  const auto check = [least, most](const std::string& text) {
    const auto number = parse_whole_number(text);
    return number && *number >= least && *number <= most
               ? std::string()
               : fmt::format("{} is not a whole number from {} to {}", text, least, most);
  };
  return {check, ""};
}

inline CLI::Validator number_between(double least, double most, const std::string& kind = "a number") {
  const auto check = [least, most, kind](const std::string& text) {
    const auto number = parse_number(text);
    return number && *number >= least && *number <= most
               ? std::string()
               : fmt::format("{} is not {} from {:g} to {:g}", text, kind, least, most);
  };
  return {check, ""};
}

inline CLI::Validator duration() {
  return number_between(kLeastDuration_s, kMostDuration_s, "a number of seconds");
}

inline CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) {
    const bool good = std::find(words.begin(), words.end(), text) != words.end();
    return good ? std::string() : fmt::format("{} is none of {}", text, fmt::join(words, ", "));
  };
  return {check, ""};
}

}  // namespace kjoule
