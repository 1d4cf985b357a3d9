#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "device/sample_protocol.hpp"

namespace kjoule {

/// One sample of a sweep and what became of it.
struct SampleRow {
  size_t sample = 0;  ///< from 1, of the whole sweep; 0 where the row is not of this file
  SampleShape shape;
  SampleAnswer answer;
};

/// Middle one of the passes, and the order statistics around it between which the median lies with a
/// probability of at least 95 %. Fewer than 6 have none such: Student's interval of their mean, as wide,
/// around their median; of one, itself. In the passes' unit.
struct MedianOfPasses {
  double value, low, high;
};
/// Throws Error for none.
MedianOfPasses median_of_passes(std::vector<double> passes);
/// The median of fewer has no interval.
inline constexpr int64_t kFewestPasses = 6;
/// Whether their median is known to 1 %, so that more of them would tell little. Fewer than 6 are enough,
/// from 3 on, where they took so long that more would cost something.
bool is_precise(const std::vector<double>& passes);

/// The line of a row in the JSONL, of which `parameters` names the shape's numbers.
nlohmann::ordered_json to_json(const SampleRow& row, const std::vector<std::string>& parameters);
/// Throws nlohmann::json::exception or Error for what is none.
SampleRow sample_row(const nlohmann::json& json, const std::vector<std::string>& parameters);

/// What a run says of the rows that follow it. Files of before kjoule wrote these have none.
struct SampledRun {
  nlohmann::json definition;  ///< of what is sampled; null where it is not told
  size_t samples = 0;         ///< of the part, most that a run told; 0 where none did
};
/// What two definitions differ in: "active is 6 instead of 10"; empty for none, or where one is not told.
std::string difference(const nlohmann::json& definition, const nlohmann::json& wanted);

/// Hands each row of a JSONL to `take`, in order, and returns what its latest run says. Throws Error that
/// names file and line for a line that is no row and does not tell of a run either.
SampledRun read_sample_rows(const std::filesystem::path& jsonl, const std::vector<std::string>& parameters,
                            const std::function<void(SampleRow)>& take);

/// The line of a measured row in the CSV, without its end: shape, then the median of each direction, us.
std::string csv_of(const SampleRow& row);

}  // namespace kjoule
