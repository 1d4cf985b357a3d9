#include "report/imported_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <set>

#include "base/files/csv.hpp"
#include "base/json/dump_json.hpp"
#include "base/text/counted.hpp"
#include "importers/imported_file.hpp"
#include "recording/tier_text.hpp"
#include "report/shortened.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using nlohmann::ordered_json;

/// Returns the launches per iteration, or an empty text if the number of iterations is unknown.
std::string count_cell(const ImportedTable& table, uint64_t launches) {
  if (!table.iterations.known()) return {};
  if (launches % table.iterations.number == 0) return std::to_string(launches / table.iterations.number);
  return fmt::format("{:.6g}", static_cast<double>(launches) / static_cast<double>(table.iterations.number));
}

std::string us_of_ns(const std::optional<double>& ns) {
  return ns ? fmt::format("{:.3f}", *ns / 1e3) : "";
}
std::string us_of_ns(const std::optional<int64_t>& ns) {
  return ns ? fmt::format("{:.3f}", static_cast<double>(*ns) / 1e3) : "";
}
std::optional<int64_t> total_ns(const TableLine& line) {
  if (!line.times) return {};
  return line.times->total_ns;
}
std::optional<int64_t> least_ns(const TableLine& line) {
  return line.times ? line.times->min_ns : std::nullopt;
}
std::optional<int64_t> largest_ns(const TableLine& line) {
  return line.times ? line.times->max_ns : std::nullopt;
}

std::string cell(const std::optional<Extent>& extent) {
  return extent ? extent_text(*extent) : "";
}
template <class Number>
std::string cell(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "";
}
std::string cell(const nlohmann::json& json) {
  return json.is_null() ? "" : dump_json(json);
}

std::string iterations_line(const ImportedTable& table) {
  const ImportedIterations& iterations = table.iterations;
  if (!iterations.known()) return table.iterations_missing();
  std::string text = fmt::format(
      "counts are per iteration; total us is the sum over {} (source of this number: {})",
      iterations.number == 1 ? "one iteration" : fmt::format("all {} iterations", iterations.number),
      iteration_source_text(iterations.source));
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

constexpr const char* kIterationsUnknown = "unknown";

std::vector<std::string> number_cells(const ImportedTable& table, const TableLine& line) {
  const ImportedIterations& iterations = table.iterations;
  return {count_cell(table, line.launches),
          iterations.known() ? std::to_string(iterations.number) : kIterationsUnknown,
          iterations.known() ? (line.steady ? "1" : "0") : "",
          std::to_string(line.launches),
          us_of_ns(line.mean_ns()),
          us_of_ns(least_ns(line)),
          us_of_ns(largest_ns(line)),
          us_of_ns(total_ns(line))};
}

const std::vector<std::string> kNumberColumns = {"count",   "iterations", "steady", "launches",
                                                 "mean_us", "min_us",     "max_us", "total_us"};

std::vector<std::string> kernel_cells(const ImportedKernel& kernel) {
  const LaunchingOperator& by = kernel.launched_by;
  return {kernel.name,          activity_kind_name(kernel.kind),
          cell(kernel.gpu),     tier_text(kernel.tier),
          kernel.family,        kernel.category,
          kernel.dtype,         cell(kernel.grid),
          cell(kernel.block),   cell(kernel.shared_bytes),
          cell(kernel.bytes),   by.name,
          cell(by.input_dims),  cell(by.input_strides),
          cell(by.input_types), cell(by.concrete_inputs),
          cell(by.arguments),   kernel.recorded_signature,
          cell(kernel.fewest),  cell(kernel.most)};
}

const std::vector<std::string> kKernelColumns = {
    "name",       "kind",          "gpu",         "tier",
    "family",     "category",      "dtype",       "grid",
    "block",      "shared_bytes",  "bytes",       "operator",
    "input_dims", "input_strides", "input_types", "concrete_inputs",
    "arguments",  "signature",     "fewest",      "most"};

/// Returns whether all kernels of a line have the same name.
bool is_by_name(GroupBy by) {
  return by == GroupBy::signature || by == GroupBy::name;
}

const std::string& short_name_of(const TableLine& line, const KernelNames& names) {
  return names.short_name(line.kernels.front()->name);
}

std::string csv_row(std::vector<std::string> cells, const std::vector<std::string>& more,
                    const std::vector<std::string>& last) {
  cells.insert(cells.end(), more.begin(), more.end());
  cells.insert(cells.end(), last.begin(), last.end());
  return csv_line(cells) + "\n";
}

ordered_json line_json(const ImportedTable& table, GroupBy by, const TableLine& line,
                       const KernelNames& names) {
  if (by == GroupBy::signature) {
    ordered_json json = kernel_to_json(table, *line.kernels.front());
    json["short_name"] = short_name_of(line, names);
    return json;
  }
  ordered_json json{{group_by_text(by), line.label}};
  if (line.gpu) json["gpu"] = *line.gpu;
  if (is_by_name(by)) json["short_name"] = short_name_of(line, names);
  json["unique_kernels"] = line.kernels.size();
  ImportedKernel all;
  all.launches = line.launches;
  all.times = line.times;
  const ordered_json numbers = kernel_to_json(table, all);
  for (const std::string& column : kNumberColumns)
    if (numbers.contains(column)) json[column] = numbers.at(column);
  if (json.contains("steady")) json["steady"] = line.steady;
  return json;
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
    tiers[tier_key(tier)] = {
        {"unique_kernels", unique}, {"invocation_count", numbers.at("count")}, {"launches", all.launches}};
  }
  return tiers;
}

}  // namespace

std::string imported_console(const ImportedTable& table, GroupBy by, NameStyle style) {
  const KernelNames names = names_of(table, style);
  const bool known = table.iterations.known();
  const bool single = by == GroupBy::signature;
  // The names of kernels are in lines of their own, above their numbers.
  const bool is_above = is_by_name(by);
  const std::string title = single ? "kernel" : group_by_text(by);
  std::string text = head(table) + (is_above ? title + "\n" : "");
  const bool several_gpus = table.gpus().size() > 1;
  if (several_gpus) text += "GPU ";
  text += fmt::format("{:>8} {:>7} {:>9} {:>9} {:>9} {:>10}{}\n", known ? "count" : "launches",
                      single ? "tier" : "kernels", "mean us", "min us", "max us", "total us",
                      is_above ? "" : "  " + title);
  bool starred = false;
  for (const TableLine& line : table_lines(table, by)) {
    const std::string count = known ? count_cell(table, line.launches) : std::to_string(line.launches);
    const bool differs = known && !line.steady;
    starred = starred || differs;
    const ImportedKernel& first = *line.kernels.front();
    const std::string gpu = line.gpu ? std::to_string(*line.gpu) : "-";
    const std::string cells =
        (several_gpus ? fmt::format("{:>3} ", gpu) : "") +
        fmt::format("{:>8} {:>7} {:>9} {:>9} {:>9} {:>10}", count + (differs ? "*" : ""),
                    single ? tier_text(first.tier) : std::to_string(line.kernels.size()),
                    us_of_ns(line.mean_ns()), us_of_ns(least_ns(line)), us_of_ns(largest_ns(line)),
                    us_of_ns(total_ns(line)));
    if (is_above)
      text += names.row("", first.name, single ? after_imported_name(first) : "") + cells + "\n";
    else
      text += table_row(cells + "  ", shortened(line.label, 110));
  }
  if (starred) text += "* the count differs between iterations; this is the mean\n";
  return text;
}

std::string imported_csv(const ImportedTable& table, GroupBy by) {
  const bool single = by == GroupBy::signature;
  const std::vector<std::string> group_columns = {group_by_text(by), "gpu", "unique_kernels"};
  const KernelNames names = names_of(table);
  using Cells = std::vector<std::string>;
  std::string text = csv_row(single ? kKernelColumns : group_columns, kNumberColumns,
                             is_by_name(by) ? Cells{"short_name"} : Cells{});
  for (const TableLine& line : table_lines(table, by))
    text += csv_row(single ? kernel_cells(*line.kernels.front())
                           : std::vector{line.label, cell(line.gpu), std::to_string(line.kernels.size())},
                    number_cells(table, line), is_by_name(by) ? Cells{short_name_of(line, names)} : Cells{});
  return text;
}

ordered_json imported_json(const ImportedTable& table, GroupBy by) {
  ordered_json summary = table_to_json(table);
  ImportedKernel all;
  all.launches = launches_of(table);
  summary["unique_kernels"] = table.kernels.size();
  summary["invocation_count"] = kernel_to_json(table, all).at("count");
  summary["launches"] = all.launches;
  summary["tiers"] = tiers_json(table);
  ordered_json list = ordered_json::array();
  const KernelNames names = names_of(table);
  for (const TableLine& line : table_lines(table, by)) list.push_back(line_json(table, by, line, names));
  return {{"summary", summary}, {by == GroupBy::signature ? "kernels" : "groups", list}};
}

std::string imported_jsonl(const ImportedTable& table, GroupBy by) {
  const KernelNames names = names_of(table);
  std::string text;
  for (const TableLine& line : table_lines(table, by))
    text += dump_json(line_json(table, by, line, names)) + "\n";
  return text;
}

}  // namespace kjoule
