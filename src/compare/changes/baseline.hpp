#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fields.hpp"
#include "base/numbers/interval.hpp"
#include "compare/iteration/comparison.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// One kernel of a baseline. Time and energy are those of all its launches in one iteration; nothing if not
/// measured.
struct BaselineKernel {
  std::string name;
  std::string form;  ///< signature without the name: grid, block, shared bytes and hash, or shapes and types
  uint64_t count = 0;  ///< launches per iteration
  std::optional<Interval> time_s, energy_j;
};
template <class Fields>
void describe(Fields& fields, BaselineKernel& kernel) {
  fields("name", kernel.name);
  fields("form", kernel.form);
  fields("count", kernel.count);
  fields("time_s", kernel.time_s);
  fields("energy_j", kernel.energy_j);
}

/// Returns the launch order as text: for each launch, the index of its kernel ("0 1 2 1").
std::string launch_order_text(const std::vector<uint32_t>& launches);
/// Returns the launch order in a text of launch_order_text(). Throws Error for any other text.
std::vector<uint32_t> parse_launch_order(const std::string& text);

/// A part of an iteration: layers of a network that do the same work, or a range (NVTX). Time and energy are
/// of one iteration.
struct BaselinePart {
  /// Name of the layers; for a range, the names of the ranges around it and its own name, "step/attention".
  std::string name;
  uint64_t count = 0;  ///< number of layers, or of launches in a range
  std::optional<Interval> time_s, energy_j;
};
template <class Fields>
void describe(Fields& fields, BaselinePart& part) {
  fields("name", part.name);
  fields("count", part.count);
  fields("time_s", part.time_s);
  fields("energy_j", part.energy_j);
}

/// The measured iteration of a program, or of one phase of its run.
struct BaselineIteration {
  /// "phase_1" of a run whose phases were measured, "rank 1" of a program of several ranks; otherwise empty.
  std::string phase;
  uint64_t iterations = 1;  ///< number of iterations in the phase
  /// Whether `phase` is not a part of the run but a rank, which ran at the same time as the other ranks.
  bool is_of_rank = false;
  std::string verdict;  ///< "adds up", "does not add up" or "inconclusive"
  Interval whole_s, sum_s;
  std::optional<Interval> program_s;       ///< the program's own iteration, launch gaps included
  std::optional<Interval> whole_j, sum_j;  ///< energy of whole and sum
  /// Mean power of the whole during the energy readings. During these readings, an iteration may take longer
  /// than whole_s, so that whole_w may differ from whole_j / whole_s.
  std::optional<Interval> whole_w;
  std::vector<double> other_starts_s;  ///< the whole in other starts of the program (--starts)
  std::vector<BaselineKernel> kernels;
  std::vector<uint32_t> launches;  ///< for each launch, its kernel's index in `kernels`
  std::vector<BaselinePart> ranges;
};
template <class Fields>
void describe(Fields& fields, BaselineIteration& iteration) {
  fields.unless_empty("phase", iteration.phase);
  fields("iterations", iteration.iterations);
  fields.unless_empty("is_of_rank", iteration.is_of_rank);
  fields("verdict", iteration.verdict);
  fields("whole_s", iteration.whole_s);
  fields("sum_s", iteration.sum_s);
  fields("program_s", iteration.program_s);
  fields("whole_j", iteration.whole_j);
  fields("sum_j", iteration.sum_j);
  fields("whole_w", iteration.whole_w);
  fields.unless_empty("other_starts_s", iteration.other_starts_s);
  fields("kernels", iteration.kernels);
  fields.as("launches", iteration.launches, launch_order_text, parse_launch_order);
  fields("ranges", iteration.ranges);
}

/// The device on which a baseline was measured.
struct BaselineDevice {
  std::string name, kind;  ///< kind: cpu, cuda or simulated
  std::string uuid;        ///< UUID of the board; empty if not known
};
template <class Fields>
void describe(Fields& fields, BaselineDevice& device) {
  fields("name", device.name);
  fields("kind", device.kind);
  fields.unless_empty("uuid", device.uuid);
}

/// The measured times and energies of a program by kernel and layer, and the order of its launches, with
/// which later runs are compared.
struct Baseline {
  static constexpr const char* kFormat = "kjoule-baseline";
  static constexpr int kVersion = 1;

  std::string title;     ///< program and device
  std::string measured;  ///< local time of the measurement; empty if not known
  std::string kjoule;    ///< version of kjoule that measured it
  BaselineDevice device;
  /// A single iteration, or one for each measured phase of a run.
  std::vector<BaselineIteration> iterations;
  std::vector<BaselinePart> layers;  ///< layers of a network; empty for other programs
};

/// Returns the baseline of the iteration of `recording`; `comparison` contains its measured times and
/// energies.
BaselineIteration baseline_iteration(const Recording& recording, const Comparison& comparison);
/// Returns a baseline without iterations and layers. `run` describes the run (Comparison::run).
Baseline describe_baseline(const nlohmann::json& run, const ProgramIterations& program_iterations);

/// Returns whether a file has the format of a baseline, of this or any other version.
bool is_baseline(const std::filesystem::path& file);
/// Writes a baseline atomically, with a line for each kernel.
size_t write_baseline(const std::filesystem::path& file, const Baseline& baseline);
/// Reads a baseline. Throws Error, which names file and field, if the file is damaged or has another version
/// than kVersion.
Baseline read_baseline(const std::filesystem::path& file);

}  // namespace kjoule
