#include "report/imported_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/json/dump_json.hpp"
#include "base/text/counted.hpp"
#include "importers/imported_file.hpp"
#include "recording/tier_text.hpp"
#include "report/imported_columns.hpp"
#include "report/more_rows.hpp"
#include "report/replay_reasons.hpp"
#include "report/shortened.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using nlohmann::ordered_json;

std::string cell(const std::optional<Extent>& extent) {
  return extent ? extent_text(*extent) : "";
}
template <class Number>
std::string cell(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "";
}

std::string iterations_line(const ImportedTable& table) {
  const ImportedIterations& iterations = table.iterations;
  if (!iterations.known()) return table.iterations_missing();
  std::string text = fmt::format(
      "counts are per iteration; total us is the sum over {} (source of this number: {})",
      iterations.number == 1 ? "one iteration" : fmt::format("all {} iterations", iterations.number),
      iteration_source_text(iterations.source) +
          (iterations.annotation.empty() ? "" : " " + iterations.annotation));
  if (iterations.warm_up > 0) text += ", after " + counted(iterations.warm_up, "warm-up iteration");
  return text;
}

double percent_of(uint64_t part, uint64_t all) {
  return 100 * static_cast<double>(part) / static_cast<double>(all);
}

/// Returns the line with the evidence for iterations that were found by repetition; empty for other sources.
std::string repetition_line(const ImportedTable& table) {
  const auto& evidence = table.iterations.repetition;
  if (!evidence) return {};
  const auto& [found, all, by_name, next] = *evidence;
  std::string text =
      fmt::format("{} {} {} times, which is {:.1f} % of {}{}", counted(found.length, "launch"),
                  agreeing(found.length, "repeats", "repeat"), found.times, percent_of(found.launches, all),
                  counted(all, "launch"), by_name ? ", compared by name because grids or inputs differ" : "");
  text += next ? fmt::format("; the next-best period: {}, {} times in a row, {:.1f} %",
                             counted(next->length, "launch"), next->times, percent_of(next->launches, all))
               : "; no other period repeats";
  return wrapped("", text);
}

uint64_t launches_of(const ImportedTable& table) {
  uint64_t launches = 0;
  for (const ImportedKernel& kernel : table.kernels) launches += kernel.launches;
  return launches;
}

/// Returns " on GPUs 0, 1" for a table of several GPUs; otherwise an empty text.
std::string gpus_text(const ImportedTable& table) {
  const std::set<int64_t> gpus = table.gpus();
  return gpus.size() < 2 ? "" : fmt::format(" on GPUs {}", fmt::join(gpus, ", "));
}

std::string head(const ImportedTable& table) {
  const uint64_t launches = launches_of(table);
  const std::string each = table.iterations.known()
                               ? count_cell(table, launches) +
                                     (launches == table.iterations.number ? " launch" : " launches") +
                                     " in an iteration"
                               : counted(launches, "launch") + " in all, number of iterations unknown";
  return wrapped("", fmt::format("{} ({})", table.source, table.format)) +
         wrapped("",
                 fmt::format("{}, {}{}", each, counted(table.kernels.size(), "kernel"), gpus_text(table))) +
         wrapped("", iterations_line(table)) + repetition_line(table);
}

KernelNames names_of(const ImportedTable& table, NameStyle style = NameStyle::shortened) {
  return KernelNames::of_all(
      table.kernels, [](const ImportedKernel& kernel) { return kernel.name; }, style);
}

/// Returns what follows the name of a kernel in its line: its launch configuration, operator and shapes.
std::string after_imported_name(const ImportedKernel& kernel) {
  if (!kernel.recorded_signature.empty()) {
    const bool continues = kernel.recorded_signature.starts_with(kernel.name);
    return shortened(
        continues ? kernel.recorded_signature.substr(kernel.name.size()) : " " + kernel.recorded_signature,
        110);
  }
  std::string text;
  const auto add = [&text](const char* what, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {}{}", what, value);
  };
  add("grid ", cell(kernel.grid));
  add("block ", cell(kernel.block));
  if (kernel.kind == ActivityKind::kernel && kernel.shared_bytes > 0)
    add("shared bytes ", cell(kernel.shared_bytes));
  if (kernel.kind != ActivityKind::kernel) add("bytes ", cell(kernel.bytes));
  add("", shortened(kernel.launched_by.name, 60));
  if (kernel.launched_by.has_shapes()) add("", shortened(dump_json(kernel.launched_by.input_dims), 80));
  return text;
}

/// Returns whether all kernels of a line have the same name.
bool is_by_name(GroupBy by) {
  return by == GroupBy::signature || by == GroupBy::name;
}

ordered_json tiers_json(const ImportedTable& table) {
  ordered_json tiers;
  for (const Tier tier : {Tier::cuda_runtime, Tier::vendor_library, Tier::framework, Tier::unknown}) {
    ImportedKernel all;
    size_t unique = 0;
    for (const ImportedKernel& kernel : table.kernels) {
      if (kernel.tier != tier) continue;
      ++unique;
      all.launches += kernel.launches;
    }
    const ordered_json numbers = kernel_to_json(table, all);
    tiers[tier_key(tier)] = {{"unique_kernels", unique},
                             {"invocation_count", numbers.at("invocation_count")},
                             {"launches", all.launches}};
  }
  return tiers;
}

/// Adds the numbers of kernels and launches under the names of the published kernel_signatures.json.
void add_published_names(ordered_json& summary) {
  summary["total_kernels"] = summary.at("unique_kernels");
  const auto launches = summary.at("launches").get<uint64_t>();
  for (const Tier tier : {Tier::cuda_runtime, Tier::vendor_library, Tier::framework}) {
    const ordered_json& numbers = summary.at("tiers").at(tier_key(tier));
    summary[tier_key(tier)] = {{"unique", numbers.at("unique_kernels")},
                               {"invocations", numbers.at("invocation_count")},
                               {"percentage", percent_of(numbers.at("launches").get<uint64_t>(), launches)}};
  }
}

ordered_json objects_of(const std::vector<ImportedLine>& lines, GroupBy by) {
  const std::vector<TableColumn<ImportedLine>> columns = imported_columns(by);
  ordered_json list = ordered_json::array();
  for (const ImportedLine& line : lines) list.push_back(json_object(columns, line));
  return list;
}

/// Returns the kernels for which no call is known, with the reasons; empty if all can be replayed.
std::string without_call_text(const ImportedTable& table, const KernelNames& names) {
  const std::vector<ReplayReason> reasons = reasons_without_call(table);
  return reasons_text(fmt::format("no call is known that replays {} of {}", number_of_kernels(reasons),
                                  counted(table.kernels.size(), "kernel")),
                      reasons, names);
}

/// Removes the lines after those of the first `top` labels, and returns the number of labels that were
/// removed. Several lines have the same label if the kernel ran on several GPUs.
size_t keep_first(std::vector<ImportedLine>& lines, std::optional<size_t> top) {
  size_t labels = 0, kept = lines.size();
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 && lines[i].line.label == lines[i - 1].line.label) continue;
    if (++labels > top.value_or(lines.size())) kept = std::min(kept, i);
  }
  lines.resize(kept);
  return labels - std::min(labels, top.value_or(labels));
}

}  // namespace

std::string imported_console(const ImportedTable& table, GroupBy by, NameStyle style,
                             std::optional<size_t> top) {
  const KernelNames names = names_of(table, style);
  std::vector<ImportedLine> lines = joint_imported_lines(table, by, names);
  const size_t more = keep_first(lines, top);
  const std::vector<TableColumn<ImportedLine>> declared = imported_columns(by);
  const ShownColumns columns(declared, Place::first_screen, lines, ColumnGaps{});
  const bool single = by == GroupBy::signature;
  // The names of kernels are in lines of their own, above their numbers.
  const bool is_above = is_by_name(by);
  const std::string title = single ? "kernel" : group_by_text(by);
  std::string text = head(table) + without_call_text(table, names) +
                     (is_above ? title + "\n" + columns.heads() : columns.heads() + "  " + title) + "\n";
  std::string above;  // the label of the lines above
  for (const ImportedLine& row : lines) {
    const ImportedKernel& first = *row.line.kernels.front();
    if (!is_above) {
      text += table_row(columns.cells(row) + "  ", shortened(row.line.label, 110));
      continue;
    }
    if (row.line.label != above) text += names.row("", first.name, single ? after_imported_name(first) : "");
    text += columns.cells(row) + "\n";
    above = row.line.label;
  }
  if (std::ranges::any_of(lines, differs_between_iterations))
    text += "* the count differs between iterations; this is the mean\n";
  return text + more_rows_line(more, single ? "kernel" : "group");
}

std::string imported_csv(const ImportedTable& table, GroupBy by) {
  const KernelNames names = names_of(table);
  return csv_text(imported_columns(by), imported_lines(table, by, names));
}

ordered_json imported_json(const ImportedTable& table, GroupBy by) {
  ordered_json summary = table_to_json(table);
  ImportedKernel all;
  all.launches = launches_of(table);
  summary["unique_kernels"] = table.kernels.size();
  summary["invocation_count"] = kernel_to_json(table, all).at("invocation_count");
  summary["launches"] = all.launches;
  summary["tiers"] = tiers_json(table);
  add_published_names(summary);
  summary["not_replayable"] = reasons_json(reasons_without_call(table));
  const KernelNames names = names_of(table);
  ordered_json json{
      {"summary", summary},
      {by == GroupBy::signature ? "kernels" : "groups", objects_of(imported_lines(table, by, names), by)}};
  if (const auto of_all = lines_of_all_gpus(table, by, names); !of_all.empty())
    json["all_gpus"] = objects_of(of_all, by);
  return json;
}

std::string imported_jsonl(const ImportedTable& table, GroupBy by) {
  const KernelNames names = names_of(table);
  const std::vector<TableColumn<ImportedLine>> columns = imported_columns(by);
  std::string text;
  for (const ImportedLine& line : imported_lines(table, by, names))
    text += dump_json(json_object(columns, line)) + "\n";
  return text;
}

}  // namespace kjoule
