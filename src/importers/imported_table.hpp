#pragma once
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "importers/gemm_sizes.hpp"
#include "recording/activity.hpp"
#include "recording/extent.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// The operator that launched a kernel, with its inputs. Each part is the JSON that the profiler wrote, or
/// null if it wrote none.
struct LaunchingOperator {
  std::string name;  ///< such as aten::addmm; empty when unknown
  nlohmann::json input_dims, input_strides, input_types, concrete_inputs;
  /// All arguments in the format of OperatorCall::arguments, if kjoule recorded the operator; otherwise null.
  nlohmann::json arguments;

  bool has_shapes() const { return !input_dims.is_null() || !arguments.is_null(); }
  bool operator==(const LaunchingOperator&) const = default;
};

/// Total, shortest and longest time of some launches, from the imported trace, table or recording.
struct RecordedTimes {
  int64_t total_ns = 0;
  std::optional<int64_t> min_ns, max_ns;
};

/// All launches with one signature: kind, name, grid, block, shared bytes, bytes, operator and its inputs,
/// and sizes of a matrix product.
struct ImportedKernel {
  ActivityKind kind = ActivityKind::kernel;
  std::string name;
  std::optional<int64_t> gpu;  ///< number of the GPU that ran it, if the source contains it
  Tier tier = Tier::unknown;
  std::string family, dtype, category = "unknown";  ///< see KernelClass
  std::optional<Extent> grid, block;
  std::optional<int64_t> shared_bytes;  ///< static and dynamic together
  std::optional<int64_t> bytes;         ///< size of a copy or memset
  LaunchingOperator launched_by;
  GemmSizes gemm;  ///< sizes of the matrix product that the kernel computes, if the table states them
  /// The signature that the source contains; otherwise empty. It replaces the signature made of the fields
  /// above.
  std::string recorded_signature;

  /// Number of launches in all counted iterations, or in the whole table if no iterations are known.
  uint64_t launches = 0;
  /// The fewest and most launches in one iteration. Absent if the iterations are not known one by one.
  std::optional<uint64_t> fewest, most;
  std::optional<RecordedTimes> times;  ///< of the counted launches

  /// Returns the mean time of a launch in ns, or no value if times are not known.
  std::optional<double> mean_ns() const {
    if (!times || launches == 0) return {};
    return static_cast<double>(times->total_ns) / static_cast<double>(launches);
  }
};

/// Returns Tier::cuda_runtime for copies and memsets, and Tier::unknown for kernels, whose names decide.
Tier tier_of(ActivityKind kind);

struct ImportedTable;
/// Throws Error if the source of the table contains no times of single launches, of which a timeline could be
/// drawn.
void require_timeline(const ImportedTable& table);

/// Returns the signature of a kernel as text. Launches with equal signatures on one GPU are the same kernel.
std::string signature_of(const ImportedKernel& kernel);

/// The source that shows which launches form an iteration.
enum class IterationSource { unknown, profiler_steps, annotation, period, option, recording, table };
/// Returns the source as text, such as "ProfilerStep ranges".
std::string iteration_source_text(IterationSource from);
/// Returns the source for a text that iteration_source_text() returned; unknown for other texts.
IterationSource parse_iteration_source(const std::string& text);

/// One launch on the device's timeline.
struct ImportedActivity {
  size_t kernel = 0;  ///< index into ImportedTable::kernels
  uint64_t stream = 0;
  int64_t begin_ns = 0, end_ns = 0;
};

/// A period of `length` launches that repeats `times` times, in `launches` launches altogether.
struct RepeatedLaunches {
  uint64_t length = 0, times = 0, launches = 0;
};

/// The evidence for iterations that were found by the repetition of launches.
struct RepetitionEvidence {
  RepeatedLaunches found;
  uint64_t all_launches = 0;  ///< number of launches in the trace
  bool by_name = false;       ///< whether iterations are equal in names, but not in grids or inputs
  /// The period that fills the most launches without interruption, other than the multiples of the found one.
  std::optional<RepeatedLaunches> next_best;

  double covered_share() const {
    return static_cast<double>(found.launches) / static_cast<double>(all_launches);
  }
};

/// The iterations of a trace or table.
struct ImportedIterations {
  IterationSource source = IterationSource::unknown;
  uint64_t number = 0;   ///< number of counted iterations; 0 when unknown
  uint64_t warm_up = 0;  ///< number of earlier iterations that are not counted, because their launches differ
  uint64_t left_out = 0;  ///< number of launches outside the counted iterations
  std::optional<RepetitionEvidence> repetition{};
  std::string annotation{};  ///< name of the (first) range, if the source is an annotation

  bool known() const { return number > 0; }
};

/// ImportedTable::format of the sources with ranges that --annotation can name.
inline constexpr const char* kProfilerFormat = "PyTorch profiler trace";
inline constexpr const char* kNsysFormat = "Nsight Systems database";
inline constexpr const char* kXlaFormat = "XLA profiler trace";

/// ImportedTable::format of kjoule's recordings.
inline constexpr const char* kRecordingFormat = "kjoule recording";

/// The kernels of a trace, table or recording.
struct ImportedTable {
  std::string source;  ///< file name
  std::string format;  ///< type of the source, e.g. kProfilerFormat
  nlohmann::json device;
  std::optional<int64_t> gpu;  ///< the only GPU whose kernels the table contains, if the source states it
  std::optional<int64_t> rank;
  std::optional<int64_t> ranks;  ///< number of ranks of the program, if the source states it
  ImportedIterations iterations;
  std::vector<std::string> warnings;    ///< missing facts with their remedies, one line each
  std::vector<ImportedKernel> kernels;  ///< in order of first launch
  /// The launches of the first counted iteration, or all launches if iterations are unknown. Empty if the
  /// source contains no times of single launches. Imported tables do not contain it.
  std::vector<ImportedActivity> timeline;

  /// Returns the kernel's launches per iteration, or no value if the number of iterations is unknown.
  std::optional<double> count(const ImportedKernel& kernel) const {
    if (!iterations.known()) return {};
    return static_cast<double>(kernel.launches) / static_cast<double>(iterations.number);
  }
  /// Returns whether all iterations launch the kernel equally often, as far as is known.
  bool steady(const ImportedKernel& kernel) const {
    if (kernel.fewest && kernel.most) return *kernel.fewest == *kernel.most;
    return !iterations.known() || kernel.launches % iterations.number == 0;
  }
  /// Returns whether the rows are not kernels, but matrix products that a program called, such as
  /// "transformer.h.0.mlp" with M, N and K. Then no row has a grid, a block, or a name that a rule matches.
  /// Call it after classify().
  bool lists_products() const {
    return std::ranges::all_of(kernels, [](const ImportedKernel& kernel) {
      return kernel.gemm.stated() && kernel.tier == Tier::unknown && !kernel.grid && !kernel.block;
    });
  }
  /// Returns the numbers of the GPUs that ran the table's kernels; empty if the table does not state them.
  std::set<int64_t> gpus() const;
  /// Returns the reason why counts per iteration are not available; empty if they are.
  std::string iterations_missing() const;
};

}  // namespace kjoule
