#include "page/work_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/text/printable.hpp"
#include "model_prediction/operator_work.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

/// What all launches of a kernel compute and move in one iteration.
struct KernelWork {
  const KernelResult* kernel = nullptr;
  double flops = 0, bytes = 0;
  std::string source;  ///< from which the work follows

  double seconds() const { return kernel->in_context_s->value; }
};
using WorkColumn = TableColumn<KernelWork>;

/// Returns the work of one launch of an operator; nothing if it is not known.
std::optional<CallWork> work_of_launch(const Launch& launch) {
  if (!launch.detail.is_object() || !launch.detail.contains("operator")) return {};
  Recording one;
  one.launches.push_back(launch);
  try {
    const RecordedOperators operators = recorded_operators(one, "");
    if (operators.launching.empty()) return {};
    CallWork work = work_of(operators.launching.front());
    if (!work.unknown.empty() || work.bytes <= 0) return {};
    return work;
  } catch (const Error&) {  // the page has all other results of a recording with a damaged launch
    return {};
  }
}

/// Returns the kernels whose time and work are known, those with the most time first.
std::vector<KernelWork> known_work(const Recording& recording, const Comparison& c) {
  std::map<std::string, const Launch*> launches;
  for (const Launch& launch : recording.measured()) launches.try_emplace(launch.signature, &launch);
  std::vector<KernelWork> known;
  for (const KernelResult& kernel : c.kernels) {
    const auto launch = launches.find(kernel.signature);
    if (!kernel.in_context_s || kernel.in_context_s->value <= 0 || launch == launches.end()) continue;
    const auto count = static_cast<double>(kernel.count);
    if (kernel.bytes_moved && *kernel.bytes_moved > 0)
      known.push_back({&kernel, 0, count * static_cast<double>(*kernel.bytes_moved), "its own size"});
    else if (const auto work = work_of_launch(*launch->second))
      known.push_back({&kernel, count * work->flops, count * work->bytes, "its tensors: " + work->kind});
  }
  std::stable_sort(known.begin(), known.end(),
                   [](const KernelWork& a, const KernelWork& b) { return a.seconds() > b.seconds(); });
  return known;
}

Json unless_zero(double value) {
  return value > 0 ? Json(value) : Json();
}

std::vector<WorkColumn> work_columns() {
  using Work = const KernelWork&;
  const auto number = [](const char* head, const char* meaning, int decimals, double (*value)(Work)) {
    return WorkColumn::number(
        head, "", meaning, "", Place::details, [value](Work work) { return unless_zero(value(work)); },
        decimals);
  };
  return {
      number("all us", "time of all launches in one iteration", 1,
             [](Work work) { return 1e6 * work.seconds(); }),
      number(
          "MFLOP",
          "floating-point operations of matrix products, convolutions and attention, of all launches in one "
          "iteration",
          2, [](Work work) { return 1e-6 * work.flops; }),
      number("MB",
             "bytes of all launches in one iteration: an operator reads each input and writes each result "
             "once; a copy or memset writes its size",
             3, [](Work work) { return 1e-6 * work.bytes; }),
      number("GFLOP/s", "MFLOP over the time", 1,
             [](Work work) { return 1e-9 * work.flops / work.seconds(); }),
      number("GB/s", "MB over the time", 2, [](Work work) { return 1e-9 * work.bytes / work.seconds(); }),
      number("FLOP/B", "operations for each byte", 2, [](Work work) { return work.flops / work.bytes; }),
      WorkColumn::on_screen("known from", "what the work was computed from", Place::details,
                            [](Work work) { return printable(work.source); })};
}

}  // namespace

PageSection work_section(const Recording& recording, const Comparison& c) {
  PageSection section("work", "Work and rates");
  const std::vector<KernelWork> known = known_work(recording, c);
  if (known.empty()) return section;
  double known_s = 0;
  for (const KernelWork& work : known) known_s += work.seconds();
  const KernelNames names = names_of(c.kernels);
  PageTable table("Operators, copies and memsets whose FLOPs or bytes are known", "kernel");
  table.fill<KernelWork>(work_columns(), Place::details, known,
                         [&](const KernelWork& work) {
                           return RowName{names.shown(work.kernel->name), printable(work.kernel->signature)};
                         },
                         {"GFLOP/s", "GB/s"});
  table.let_sort("all us");
  section.add_table(table);
  section.add_paragraph(fmt::format(
      "These kernels have {:.1f} % of the sum's time. The FLOPs and bytes of the others are not known.",
      100 * known_s / c.times.sum_s.value));
  return section;
}

}  // namespace kjoule
