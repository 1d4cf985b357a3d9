#include "compare/tables/signature_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files/files.hpp"
#include "base/files/machine_load.hpp"
#include "base/text/counted.hpp"
#include "base/write_error.hpp"
#include "compare/kernels/kernel_results.hpp"
#include "compare/tables/launch_assignment.hpp"
#include "importers/imported_file.hpp"
#include "run/measured_run.hpp"
#include "run/product_runner.hpp"
#include "run/tried_calls.hpp"

namespace kjoule {

namespace {

/// Total bytes of inputs that the launches of one kernel use, if there are enough launches. The number is
/// above the size of GPU caches, so that each launch reads its data from memory, as in a program that uses
/// other data between two launches.
constexpr int64_t kTouchedByKernel = int64_t{64} << 20;
/// Largest share of the available memory for the inputs of all calls, which are in memory at the same time.
/// Outputs, and the copies for restoring memory, each need as much memory again.
constexpr double kShareForInputs = 0.25;

/// Returns the most bytes that all inputs together may have; nothing (no limit) if the device is a GPU.
std::optional<double> room_bytes(const SubjectOptions& subject) {
  if (device_for_runner(subject) == "cuda") return {};
  const auto available = available_memory_bytes();
  if (!available) return {};
  return kShareForInputs * *available;
}

}  // namespace

SignatureReplay::SignatureReplay(std::string source, ImportedTable table)
    : source_(std::move(source)), table_(std::move(table)), plan_(make_replay_plan(table_)) {}

/// Returns the number of times that an iteration makes this call, each time on other data: as many times as
/// the program does, or fewer if these use kTouchedByKernel bytes.
size_t SignatureReplay::copies(size_t call) const {
  double count = 1;
  for (size_t k = 0; k < plan_.kernels.size(); ++k)
    if (plan_.kernels[k].call == call) count = std::max(count, table_.count(table_.kernels[k]).value_or(1));
  const int64_t bytes = std::max<int64_t>(1, bytes_of(plan_.calls[call]));
  return static_cast<size_t>(std::min(
      std::ceil(count), std::ceil(static_cast<double>(kTouchedByKernel) / static_cast<double>(bytes))));
}

std::string SignatureReplay::cpu_notice(const SubjectOptions& subject) const {
  if (device_for_runner(subject) != "cpu") return {};
  size_t by_operator = 0, products = 0;
  const ReplayedTable unreplayed = unreplayed_table(table_, plan_);
  for (size_t k = 0; k < plan_.kernels.size(); ++k) {
    if (!plan_.kernels[k].call || !unreplayed.kernels[k].of_gpu()) continue;
    const bool is_product = std::holds_alternative<MatrixProduct>(plan_.calls[*plan_.kernels[k].call]);
    ++(is_product ? products : by_operator);
  }
  std::string text;
  if (by_operator > 0)
    text = fmt::format(
        "{} of {} kernels ran on a GPU and are replayed on the CPU, so their times are not compared with "
        "those of the table",
        by_operator, table_.kernels.size());
  if (products > 0 && subject.device == "cpu")
    text += fmt::format("{}{} {} computed by cuBLAS, which needs a GPU, and {} not replayed",
                        text.empty() ? "" : "; ", counted(products, "matrix product"),
                        agreeing(products, "is", "are"), agreeing(products, "is", "are"));
  return text.empty() ? text : source_ + ": " + text;
}

std::map<size_t, std::string> SignatureReplay::refused_of(const SubjectOptions& subject,
                                                          bool products) const {
  std::vector<ReplayCall> calls;
  std::vector<size_t> places;
  for (size_t c = 0; c < plan_.calls.size(); ++c)
    if (std::holds_alternative<MatrixProduct>(plan_.calls[c]) == products) {
      calls.push_back(plan_.calls[c]);
      places.push_back(c);
    }
  std::map<size_t, std::string> refused;
  if (calls.empty()) return refused;
  if (products && subject.device == "cpu") {
    for (const size_t c : places)
      refused[c] = "its matrices are multiplied by cuBLAS, which needs a GPU; omit --device cpu";
    return refused;
  }
  const auto progress = make_progress();
  const auto tried = products ? tried_calls(RestartedRunner(start_product_runner), calls, *progress)
                              : tried_calls(RestartedRunner(runner_place(subject)), calls, *progress);
  for (const auto& [call, why] : tried) refused[places[call]] = why;
  return refused;
}

void SignatureReplay::try_calls(const SubjectOptions& subject) {
  parts_.clear();
  auto refused = refused_of(subject, false);
  try {
    refused.merge(refused_of(subject, true));
  } catch (const Error& error) {
    for (size_t c = 0; c < plan_.calls.size(); ++c)
      if (std::holds_alternative<MatrixProduct>(plan_.calls[c])) refused[c] = error.line();
  }
  if (const auto room = room_bytes(subject))
    for (const size_t call : calls_to_omit(plan_.calls, *room))
      refused.emplace(call,
                      "its tensors do not fit into memory together with those of the smaller calls; "
                      "replay on a machine with more memory, or on a GPU");
  for (ReplayPlan::Kernel& kernel : plan_.kernels)
    if (kernel.call && refused.contains(*kernel.call)) kernel.why_not = refused.at(*kernel.call);
  for (const bool products : {false, true}) {
    Part part{products, {}, {}};
    for (size_t c = 0; c < plan_.calls.size(); ++c) {
      if (refused.contains(c) || std::holds_alternative<MatrixProduct>(plan_.calls[c]) != products) continue;
      const size_t often = copies(c);
      part.made.insert(part.made.end(), often, c);
      part.calls.insert(part.calls.end(), often, plan_.calls[c]);
    }
    if (!part.calls.empty()) parts_.push_back(std::move(part));
  }
}

std::string SignatureReplay::nothing_replayable() const {
  if (!parts_.empty()) return {};
  return fmt::format("{}: none of its {} kernels can be replayed; reason for the first kernel, {}: {}",
                     source_, table_.kernels.size(), table_.kernels.front().name,
                     plan_.kernels.front().why_not);
}

ReplayedTable SignatureReplay::failed_table(const std::string& why) const {
  return unreplayed_table(table_, plan_, why);
}

void SignatureReplay::run_part(const Part& part, const SubjectOptions& options, const RunOptions& folder,
                               KernelRules& rules, ReplayedTable& replayed) {
  Subject subject = part.are_products ? open_products(options, part.calls, source_)
                                      : open_calls(options, part.calls, source_);
  MeasuredRun run("isolated", subject, folder);
  write_atomic(run.folder() / kImportedFile, imported_table_text(table_));
  run.record();
  run.isolated();
  const nlohmann::json header = run_header(run.rows());
  if (header_.is_null()) header_ = header;
  const std::vector<KernelResult> results = isolated_results(run.table(), run.rows(), rules);
  assign_launches(
      replayed, plan_,
      {part.made, run.recording(), run.table(), results, header.value("/device/kind"_json_pointer, "")},
      rules);
}

ReplayedTable SignatureReplay::run(const SubjectOptions& options, const RunOptions& folder,
                                   KernelRules& rules) {
  header_ = {};
  ReplayedTable replayed = unreplayed_table(table_, plan_);
  run_part(parts_.front(), options, folder, rules, replayed);
  for (size_t p = 1; p < parts_.size(); ++p) try {
      run_part(parts_[p], options, folder.within("products"), rules, replayed);
    } catch (const WriteError&) {
      throw;
    } catch (const Error& error) {  // the first part was measured
      for (size_t k = 0; k < plan_.kernels.size(); ++k)
        if (const auto call = plan_.kernels[k].call;
            call && std::ranges::find(parts_[p].made, *call) != parts_[p].made.end())
          replayed.kernels[k].why = error.line();
    }
  return replayed;
}

}  // namespace kjoule
