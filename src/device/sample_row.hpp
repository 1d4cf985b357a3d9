#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/sample_protocol.hpp"

namespace kjoule {

/// The row of one sample of a sweep: its shape and its result.
struct SampleRow {
  /// Number of the sample in the whole sweep, from 1; 0 if the row does not belong to this file.
  size_t sample = 0;
  SampleShape shape;
  SampleAnswer answer;
  std::string
      gpu{};  ///< UUID of the GPU that ran the sample; empty on the CPU and in files of older versions
  /// Time since the previous row of this GPU in the same run, or since the GPU began; s. The sum over the
  /// rows of a GPU is the time that it needed for them.
  std::optional<double> gpu_s{};
};

/// The median of timed passes and its interval, in the unit of the passes. From 6 passes on, `low` and `high`
/// are the order statistics between which the true median lies with a probability of at least 95 % (binomial
/// distribution with p = 1/2). For 2 to 5 passes, the interval has the half-width of Student's 95 % interval
/// of the mean, and is centred on the median. For one pass, `low` and `high` are equal to `value`.
struct MedianOfPasses {
  double value, low, high;
};
/// Returns the median of `passes`. Throws Error if there are no passes.
MedianOfPasses median_of_passes(std::vector<double> passes);
/// Smallest number of passes whose order statistics contain the true median with a probability of at least 95
/// %.
inline constexpr int64_t kFewestPasses = 6;
/// Returns whether the half-width of the median's interval is at most 1 % of the median, so that more passes
/// would add little. At least 6 passes are required, or 3 if the passes took 5 ms or more in total.
bool is_precise(const std::vector<double>& passes);

/// Returns the row as a line of the JSONL. `parameters` are the names of the shape's numbers.
nlohmann::ordered_json to_json(const SampleRow& row, const std::vector<std::string>& parameters);
/// Reads a row of the JSONL. Throws nlohmann::json::exception or Error for an invalid row.
SampleRow sample_row(const nlohmann::json& json, const std::vector<std::string>& parameters);

/// The description of a run, which precedes the rows of the run in the JSONL. Files of older versions of
/// kjoule contain none.
struct SampledRun {
  nlohmann::json definition;  ///< operators, shapes and options that were sampled; null if unknown
  /// Number of samples of the file's part of the sweep: the largest number that any run in the file stated,
  /// or 0 if no run stated one.
  size_t samples = 0;
};
/// Returns the differences of two definitions, such as "active is 6, but should be 10". The result is empty
/// if there are none, or if one of the definitions is unknown.
std::string difference(const nlohmann::json& definition, const nlohmann::json& wanted);

/// Calls `take` with each row of a JSONL file, in order, and `take_run` with each line {"run": ..}. Returns
/// the description of the latest run. A last line without a line end, which may be being written, is ignored.
/// Throws Error with file and line for a line that is neither a row nor the description of a run.
SampledRun read_sample_rows(const std::filesystem::path& jsonl, const std::vector<std::string>& parameters,
                            const std::function<void(SampleRow)>& take,
                            const std::function<void(const nlohmann::json& run)>& take_run = {});

/// Returns the line of a measured row in the CSV, without its line end: the shape, then the median of each
/// direction in us.
std::string to_csv(const SampleRow& row);

}  // namespace kjoule
