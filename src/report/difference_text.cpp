#include "report/difference_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/printable.hpp"
#include "base/text/signed_text.hpp"
#include "report/difference_rows.hpp"
#include "report/markup_text.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

constexpr size_t kNameColumn = 33;

std::string run_text(const Baseline& baseline) {
  return printable(baseline.measured.empty() ? baseline.title
                                             : fmt::format("{}, {}", baseline.title, baseline.measured));
}

/// Returns "time +4.90 +- 0.4 % (limit +2 %)": the change of the whole in percent.
std::string rise_text(const std::string& what, const std::optional<ValueChange>& value, double limit) {
  if (!value) return what + ": not measured in both runs";
  const Interval share = value->share();
  return fmt::format("{} {} +- {:.2g} % (limit {:+.3g} %)", what, signed_text(100 * share.value, 2),
                     100 * share.half_width, 100 * limit);
}

std::string table_text(const DifferenceTable& table) {
  if (table.rows.empty()) return fmt::format("\n  {}: none\n", table.title) + wrapped("  ", table.rest);
  std::vector<ReportedChange> changes;
  for (const DifferenceRow& row : table.rows) changes.push_back(row.change);
  const auto declared = table_columns_of(table, " ");
  const ShownColumns columns(declared, table.place(), changes, ColumnGaps{1, 1});
  std::string text = "\n" + first_cell(table.title, kNameColumn) + columns.heads() + "  95 %\n";
  for (const DifferenceRow& row : table.rows) {
    text += first_cell(row.name, kNameColumn) + columns.cells(row.change);
    text += fmt::format("  {}{}\n", row.change.half_width_text(), row.change.is_change() ? " *" : "");
    for (const std::string& note : row.notes) text += fmt::format("      {}\n", note);
  }
  if (!table.rest.empty()) text += wrapped("  ", table.rest);
  return text;
}

std::string markdown_row(const DifferenceRow& row, const std::vector<TableColumn<ReportedChange>>& columns) {
  std::string text = "| " + markdown_text(row.name);
  for (const std::string& note : row.notes) text += fmt::format("<br>{}", markdown_text(note));
  for (const auto& column : columns) {
    const std::string cell = column.cell(row.change);
    text += fmt::format(" | {}", cell.empty() ? "-" : cell);
  }
  return text + fmt::format(" | {} | {} |\n", row.change.half_width_text(),
                            row.change.is_change() ? "changed" : "-");
}

std::string table_markdown(const DifferenceTable& table) {
  std::string text = fmt::format("\n**{}**", markdown_text(table.title));
  if (table.rows.empty()) {
    text += ": none\n";
  } else {
    const auto columns = table_columns_of(table, ", ");
    text += fmt::format("\n\n| | {} | {} | change, {} | 95 % | |\n|---|--:|--:|--:|---|---|\n",
                        columns.at(0).head, columns.at(1).head, columns.at(2).head);
    for (const DifferenceRow& row : table.rows) text += markdown_row(row, columns);
  }
  if (!table.rest.empty()) text += fmt::format("\n{}\n", markdown_text(table.rest));
  return text;
}

}  // namespace

std::string limit_sentence(const Difference& difference, const ChangeLimits& limits) {
  std::vector<std::string> parts;
  for (const IterationDifference& iteration : difference.iterations) {
    const std::string of_phase = iteration.phase_before.empty() ? "" : " of " + iteration.phase_before;
    if (limits.time) parts.push_back(rise_text("time" + of_phase, iteration.whole_s, *limits.time));
    if (limits.energy) parts.push_back(rise_text("energy" + of_phase, iteration.whole_j, *limits.energy));
  }
  return fmt::format("{}: {}", to_string(difference.rose_above(limits)), fmt::join(parts, "; "));
}

std::vector<std::string> difference_sentences(const Difference& difference, const ChangeLimits& limits) {
  std::vector<std::string> sentences;
  if (!difference.start_share)
    sentences.push_back(
        "The intervals do not include the usual difference between two starts of an unchanged program, which "
        "is " +
        difference.start_share_source + ".");
  else if (*difference.start_share > 0)
    sentences.push_back(
        fmt::format("The intervals of changes include the usual difference between two starts of an "
                    "unchanged program: +- {:.2f} %, {}.",
                    100 * *difference.start_share, difference.start_share_source));
  const auto by_host = [](const IterationDifference& one) {
    return one.program_s && one.program_s->is_change();
  };
  if (std::ranges::any_of(difference.iterations, by_host))
    sentences.push_back(
        "The time \"as the program runs it\" is measured with the host's clock, so this time also depends "
        "on the load of the machine.");
  for (const std::string& phase : difference.only_before)
    sentences.push_back(phase + " is only in the earlier measurement.");
  for (const std::string& phase : difference.only_after)
    sentences.push_back(phase + " is only in the later measurement.");
  for (const std::string& finding : difference.findings)
    sentences.push_back("finding: " + printable(finding));
  if (limits.are_given()) sentences.push_back(limit_sentence(difference, limits));
  return sentences;
}

std::string difference_text(const Difference& difference, const DifferenceStyle& style) {
  std::string text =
      wrapped("before  ", run_text(difference.before)) + wrapped("after   ", run_text(difference.after));
  for (const DifferenceTable& table : difference_tables(difference, style)) text += table_text(table);
  text += "\n";
  if (text.find(" *\n") != std::string::npos)
    text += "  * changed: the 95 % interval of the change excludes 0\n";
  for (const std::string& sentence : difference_sentences(difference, style.limits))
    text += wrapped("  ", sentence);
  return text;
}

std::string difference_markdown(const Difference& difference, const DifferenceStyle& style) {
  std::string text = fmt::format("before: {}  \nafter: {}\n", markdown_text(run_text(difference.before)),
                                 markdown_text(run_text(difference.after)));
  for (const DifferenceTable& table : difference_tables(difference, style)) text += table_markdown(table);
  for (const std::string& sentence : difference_sentences(difference, style.limits))
    text += fmt::format("\n{}\n", markdown_text(sentence));
  return text;
}

}  // namespace kjoule
