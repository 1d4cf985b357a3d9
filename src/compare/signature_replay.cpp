#include "compare/signature_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.hpp"
#include "base/machine_load.hpp"
#include "compare/measured_comparison.hpp"
#include "compare/replay.hpp"
#include "importers/imported_file.hpp"
#include "run/measured_run.hpp"
#include "run/tried_calls.hpp"

namespace kjoule {

namespace {

/// Bytes of inputs that the launches of one kernel touch together, if there are enough launches: more than
/// the caches of GPUs contain, so that each launch finds its data in memory, as in a program that used other
/// data meanwhile.
constexpr int64_t kTouchedByKernel = int64_t{64} << 20;
/// Share of the available memory for the inputs of all calls, which are in memory at the same time. Outputs
/// need as much memory again, and so do the copies for restoring memory.
constexpr double kShareForInputs = 0.25;

/// Returns the memory for all inputs together, bytes; nothing if the device's memory is not the machine's.
std::optional<double> room_bytes(const SubjectOptions& subject) {
  if (device_for_runner(subject) == "cuda") return {};
  const auto available = available_memory_bytes();
  if (!available) return {};
  return kShareForInputs * *available;
}

}  // namespace

SignatureReplay::SignatureReplay(std::string source, ImportedTable table)
    : source_(std::move(source)), table_(std::move(table)), plan_(make_replay_plan(table_)) {}

/// Returns how many times an iteration makes this call, each time on other data: as many times as the
/// program, unless fewer touch enough memory.
size_t SignatureReplay::copies(size_t call) const {
  double count = 1;
  for (size_t k = 0; k < plan_.kernels.size(); ++k)
    if (plan_.kernels[k].call == call) count = std::max(count, table_.count(table_.kernels[k]).value_or(1));
  const int64_t bytes = std::max<int64_t>(1, bytes_of(plan_.calls[call]));
  return static_cast<size_t>(std::min(
      std::ceil(count), std::ceil(static_cast<double>(kTouchedByKernel) / static_cast<double>(bytes))));
}

void SignatureReplay::try_calls(const SubjectOptions& subject) {
  calls_.clear();
  made_.clear();
  if (plan_.calls.empty()) return;
  const auto progress = make_progress();
  auto refused = tried_calls(RestartedRunner(runner_place(subject)), plan_.calls, *progress);
  if (const auto room = room_bytes(subject))
    for (const size_t call : calls_to_omit(plan_.calls, *room))
      refused.emplace(call,
                      "its tensors do not fit into memory together with those of the smaller calls; "
                      "replay on a machine with more memory, or on a GPU");
  for (ReplayPlan::Kernel& kernel : plan_.kernels)
    if (kernel.call && refused.contains(*kernel.call)) kernel.why_not = refused.at(*kernel.call);
  for (size_t c = 0; c < plan_.calls.size(); ++c) {
    if (refused.contains(c)) continue;
    const size_t often = copies(c);
    made_.insert(made_.end(), often, c);
    calls_.insert(calls_.end(), often, plan_.calls[c]);
  }
}

std::string SignatureReplay::nothing_replayable() const {
  if (!calls_.empty()) return {};
  return fmt::format("{}: none of its {} kernels can be replayed; the first of them, {}: {}", source_,
                     table_.kernels.size(), table_.kernels.front().name, plan_.kernels.front().why_not);
}

ReplayedTable SignatureReplay::failed_table(const std::string& why) const {
  return unreplayed_table(table_, plan_, why);
}

ReplayedTable SignatureReplay::run(const SubjectOptions& options, const RunOptions& folder,
                                   KernelRules& rules) {
  Subject subject = open_calls(options, calls_, source_);
  MeasuredRun run("isolated", subject, folder);
  write_atomic(run.folder() / kImportedFile, imported_table_text(table_));
  run.record();
  run.isolated();
  header_ = run_header(run.rows());
  ReplayedTable replayed = replayed_table(table_, plan_, made_, run.recording(), run.table(),
                                          isolated_results(run.table(), run.rows(), rules), rules);
  replayed.replayed_on = header_.value("/device/kind"_json_pointer, "");
  return replayed;
}

}  // namespace kjoule
