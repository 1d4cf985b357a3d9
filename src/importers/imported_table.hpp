#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "recording/activity.hpp"
#include "recording/extent.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Which operator launched a kernel and with what; each part as the profiler wrote it, null where it did not.
struct LaunchingOperator {
  std::string name;  ///< such as aten::addmm; empty when unknown
  nlohmann::json input_dims, input_strides, input_types, concrete_inputs;
  nlohmann::json
      arguments;  ///< all of them as OperatorCall has them, where kjoule recorded the operator itself

  bool has_shapes() const { return !input_dims.is_null() || !arguments.is_null(); }
  bool operator==(const LaunchingOperator&) const = default;
};

/// What launches took by the device's own timeline.
struct LaunchTimes {
  int64_t total_ns = 0;
  std::optional<int64_t> min_ns, max_ns;
};

/// Launches of one signature: kind, name, grid, block, shared bytes, bytes, operator and its inputs.
struct ImportedKernel {
  ActivityKind kind = ActivityKind::kernel;
  std::string name;
  Tier tier = Tier::unknown;
  std::string family, dtype, category = "unknown";  ///< see KernelClass
  std::optional<Extent> grid, block;
  std::optional<int64_t> shared_bytes;  ///< static and dynamic together
  std::optional<int64_t> bytes;         ///< of a copy or memset
  LaunchingOperator launched_by;
  std::string recorded_signature;  ///< where the source tells one as text, which then stands for all above

  uint64_t launches = 0;  ///< in all iterations that were counted; in the whole table where none are known
  /// Fewest and most in one iteration; nothing where iterations cannot be told apart.
  std::optional<uint64_t> fewest, most;
  std::optional<LaunchTimes> times;  ///< of those launches

  std::optional<double> mean_ns() const {
    if (!times || launches == 0) return {};
    return static_cast<double>(times->total_ns) / static_cast<double>(launches);
  }
};

/// What copies and memsets are whatever their names; unknown for kernels.
Tier tier_of(ActivityKind kind);

/// What makes two launches the same kernel, as text.
std::string signature_of(const ImportedKernel& kernel);

/// How it is known which launches make an iteration.
enum class IterationsFrom { unknown, profiler_steps, annotation, period, option, recording, table };
/// "ProfilerStep ranges", ...
std::string iterations_from_text(IterationsFrom from);
/// The other way round; unknown for other texts.
IterationsFrom iterations_from(const std::string& text);

/// One launch as the device ran it.
struct ImportedActivity {
  size_t kernel = 0;  ///< place in the table
  uint64_t stream = 0;
  int64_t begin_ns = 0, end_ns = 0;
};

struct ImportedIterations {
  IterationsFrom from = IterationsFrom::unknown;
  uint64_t number = 0;    ///< that were counted; 0 when unknown
  uint64_t warm_up = 0;   ///< before those, which launched something else; left out
  uint64_t left_out = 0;  ///< launches that belong to no counted iteration

  bool known() const { return number > 0; }
};

/// ImportedTable::format of what alone has ranges that --annotation could name.
inline constexpr const char* kProfilerFormat = "PyTorch profiler trace";

/// The kernels of a trace or of a table that someone sent.
struct ImportedTable {
  std::string source;  ///< file name
  std::string format;  ///< what it was, e.g. kProfilerFormat
  nlohmann::json device;
  std::optional<int64_t> gpu, rank;
  ImportedIterations iterations;
  std::vector<std::string> warnings;    ///< what is missing, and the remedy: one line each
  std::vector<ImportedKernel> kernels;  ///< in order of first launch
  /// The first counted iteration, or all where iterations are unknown; empty where the source has no times of
  /// launches. Not written into an import's file.
  std::vector<ImportedActivity> timeline;

  /// Launches of `kernel` an iteration; nothing when the number of iterations is unknown.
  std::optional<double> count(const ImportedKernel& kernel) const {
    if (!iterations.known()) return {};
    return static_cast<double>(kernel.launches) / static_cast<double>(iterations.number);
  }
  /// Each iteration launches it equally often, as far as is known.
  bool steady(const ImportedKernel& kernel) const {
    if (kernel.fewest && kernel.most) return *kernel.fewest == *kernel.most;
    return !iterations.known() || kernel.launches % iterations.number == 0;
  }
  /// Why there are no counts an iteration; empty when there are.
  std::string iterations_missing() const;
};

}  // namespace kjoule
