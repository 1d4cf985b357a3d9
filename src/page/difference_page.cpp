#include "page/difference_page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/text/printable.hpp"
#include "report/difference_rows.hpp"

namespace kjoule {

namespace {

/// Returns "rose by 11.1 %" with its interval.
std::string change_text(const ValueChange& value) {
  const Interval share = value.share();
  const std::string interval = std::isfinite(share.half_width)
                                   ? fmt::format("+- {:.2g} %", 100 * share.half_width)
                                   : std::string("interval unknown");
  return fmt::format("{} by {:.2f} % ({})", share.value < 0 ? "fell" : "rose", 100 * std::abs(share.value),
                     interval);
}

/// Adds the verdict on the time or energy of the whole: it is good if the value fell.
void add_change(PageSection& section, const std::string& what, const ValueChange& value,
                const ReportedQuantity& quantity) {
  const std::string reason =
      fmt::format("the whole: {} {} before, {} {} after; it {}", value_text(value.before.value, quantity),
                  quantity.unit, value_text(value.after.value, quantity), quantity.unit, change_text(value));
  if (!value.is_change())
    section.add_verdict(what + " did not change", reason, "open");
  else if (value.difference().value > 0)
    section.add_verdict(what + " rose", reason, "bad");
  else
    section.add_verdict(what + " fell", reason, "good");
}

PageSection changes_result(const Difference& difference, const ChangeLimits& limits) {
  PageSection section("result", "Result");
  if (limits.are_given()) {
    const ChangeVerdict verdict = difference.rose_above(limits);
    section.add_verdict(fmt::format("Limits: {}", to_string(verdict)), limit_sentence(difference, limits),
                        verdict == ChangeVerdict::not_changed ? "good"
                        : verdict == ChangeVerdict::changed   ? "bad"
                                                              : "open");
  }
  for (const IterationDifference& iteration : difference.iterations) {
    const std::string of =
        iteration.phase_after.empty() ? "" : fmt::format(" of {}", printable(iteration.phase_after));
    add_change(section, "Time" + of, iteration.whole_s, kTime);
    if (iteration.program_s)
      section.add_paragraph(
          fmt::format("As the program runs it, launch gaps included, an iteration{} took {} {} before and {} "
                      "{} after: {}.",
                      of, value_text(iteration.program_s->before.value, kTime), kTime.unit,
                      value_text(iteration.program_s->after.value, kTime), kTime.unit,
                      iteration.program_s->is_change() ? "it " + change_text(*iteration.program_s)
                                                       : std::string("it did not change")));
    if (iteration.whole_j) add_change(section, "Energy" + of, *iteration.whole_j, kEnergy);
  }
  return section;
}

/// Returns the columns of a table of changes, with that of the interval, which the screen shows after them.
std::vector<TableColumn<ReportedChange>> page_columns(const DifferenceTable& table) {
  auto columns = table_columns_of(table, " ");
  for (const auto& column : change_columns(*table.rows.front().change.quantity))
    if (column.is_in(table.place()) && !column.cell) {
      columns.push_back(column);
      columns.back().cell = [](const ReportedChange& change) {
        return change.half_width_text() + (change.is_change() ? " *" : "");
      };
    }
  return columns;
}

std::string row_text(const DifferenceRow& row) {
  std::string text = row.name;
  for (size_t n = 0; n < row.notes.size(); ++n) text += (n == 0 ? ": " : "; ") + row.notes[n];
  return text;
}

PageTable changes_table(const DifferenceTable& table) {
  PageTable page_table(table.title, table.unit.empty() ? "quantity" : "what");
  std::vector<ReportedChange> changes;
  for (const DifferenceRow& row : table.rows) changes.push_back(row.change);
  size_t next = 0;
  page_table.fill<ReportedChange>(
      page_columns(table), table.place(), changes,
      [&](const ReportedChange&) { return RowName{row_text(table.rows[next++])}; },
      {"before " + table.unit, "after " + table.unit});
  page_table.share_bars();
  return page_table;
}

void add_table(PageSection& section, const DifferenceTable& table) {
  if (table.rows.empty())
    section.add_paragraph(table.title + ": none");
  else
    section.add_table(changes_table(table));
  if (!table.rest.empty()) section.add_paragraph(table.rest);
}

/// Adds a section for each iteration, and one for all layers.
void add_changes(const Difference& difference, std::vector<PageSection>& sections) {
  const DifferenceStyle style{std::numeric_limits<size_t>::max(), NameStyle::shortened, {}};
  for (const DifferenceTable& table : difference_tables(difference, style)) {
    if (table.unit.empty()) {
      sections.emplace_back(fmt::format("changes-{}", sections.size()), "Before and after");
      if (table.title != "one iteration") sections.back().name_part(printable(table.title));
    }
    add_table(sections.back(), table);
  }
}

void add_run(const std::string& name, const Baseline& baseline,
             std::vector<std::pair<std::string, std::string>>& terms) {
  for (const auto& [key, value] : {std::pair("program", baseline.title),
                                   {"measured", baseline.measured},
                                   {"kjoule", baseline.kjoule},
                                   {"device", baseline.device.name},
                                   {"board", baseline.device.uuid}})
    if (!value.empty()) terms.emplace_back(name + ", " + key, printable(value));
}

PageSection runs_section(const Difference& difference) {
  PageSection section("runs", "Both measurements");
  std::vector<std::pair<std::string, std::string>> terms;
  add_run("before", difference.before, terms);
  add_run("after", difference.after, terms);
  section.add_terms(terms);
  section.add_list(difference_sentences(difference, {}));
  return section;
}

}  // namespace

Page difference_page(const Difference& difference, const ChangeLimits& limits) {
  Page page{
      fmt::format("What changed: {}", printable(difference.after.title)),
      fmt::format(
          "compared with {}{}", printable(difference.before.title),
          difference.before.measured.empty() ? "" : ", measured " + printable(difference.before.measured))};
  page.sections.push_back(changes_result(difference, limits));
  add_changes(difference, page.sections);
  page.sections.push_back(runs_section(difference));
  return page;
}

}  // namespace kjoule
