#include "report/difference_rows.hpp"

#include <fmt/format.h>

#include "base/text/printable.hpp"

namespace kjoule {

namespace {

/// Bytes of the column of names in a table for a terminal.
constexpr size_t kNameBytes = 33;

/// Returns the line of a value of the whole iteration, with its change in percent.
DifferenceRow total_row(const std::string& name, const ValueChange& value, const ReportedQuantity& quantity) {
  return {name, {value, &quantity, true}, {}};
}

DifferenceTable totals_of(const IterationDifference& iteration) {
  DifferenceTable table{"one iteration", "", {}, {}};
  if (!iteration.phase_before.empty())
    table.title = iteration.phase_before == iteration.phase_after
                      ? fmt::format("one iteration of {}", iteration.phase_before)
                      : fmt::format("{}, then {}", iteration.phase_before, iteration.phase_after);
  if (iteration.program_s)
    table.rows.push_back(total_row("as the program runs it, us", *iteration.program_s, kTime));
  table.rows.push_back(total_row("whole, us", iteration.whole_s, kTime));
  table.rows.push_back(total_row("sum over kernels, us", iteration.sum_s, kTime));
  if (iteration.whole_j)
    table.rows.push_back(total_row("energy of the whole, mJ", *iteration.whole_j, kEnergy));
  if (iteration.whole_w) table.rows.push_back(total_row("power of the whole, W", *iteration.whole_w, kPower));
  return table;
}

/// Returns the line of a kernel or layer, with its change in the unit of the table.
DifferenceRow part_row(const std::string& name, const std::optional<ValueChange>& value,
                       const ReportedQuantity& quantity) {
  return {name, {value, &quantity, false}, {}};
}

std::string launches_text(const NamedLaunches& launches, const KernelNames& names) {
  return fmt::format("{} x {}", launches.count, names.shown(launches.name));
}

/// Returns the line of a kernel that is in both measurements, or of launches that were replaced by others.
DifferenceRow kernel_row(const KernelChange& kernel, const std::optional<ValueChange>& value,
                         const ReportedQuantity& quantity, const KernelNames& names) {
  const bool one_kernel =
      kernel.kind == KernelChangeKind::same || kernel.kind == KernelChangeKind::other_form;
  if (one_kernel) {
    DifferenceRow row = part_row(launches_text(kernel.before.front(), names), value, quantity);
    if (kernel.kind == KernelChangeKind::other_form)
      row.notes.push_back("with another grid, shape or argument");
    return row;
  }
  const std::string places = kernel.occurrences == 1 ? "" : fmt::format(" in {} places", kernel.occurrences);
  DifferenceRow row = part_row(to_string(kernel.kind) + places, value, quantity);
  for (const NamedLaunches& one : kernel.before)
    row.notes.push_back(fmt::format("- {}", launches_text(one, names)));
  for (const NamedLaunches& one : kernel.after)
    row.notes.push_back(fmt::format("+ {}", launches_text(one, names)));
  return row;
}

KernelNames names_of(const IterationDifference& iteration, NameStyle style) {
  std::vector<std::string> all;
  for (const KernelChange& kernel : iteration.kernels)
    for (const auto* launches : {&kernel.before, &kernel.after})
      for (const NamedLaunches& one : *launches) all.push_back(one.name);
  return KernelNames(all, style, kNameBytes - 6);
}

/// Sum of values that did not change.
struct Unchanged {
  size_t number = 0;
  double before = 0, after = 0;

  void add(const std::optional<ValueChange>& value) {
    ++number;
    if (!value) return;
    before += value->before.value;
    after += value->after.value;
  }
  std::string text(const char* what, const ReportedQuantity& quantity) const {
    return number == 0 ? ""
                       : fmt::format("not changed: {} {}{} with {} {} before and {} {} after", number, what,
                                     number == 1 ? "" : "s", value_text(before, quantity), quantity.unit,
                                     value_text(after, quantity), quantity.unit);
  }
};

void cut(DifferenceTable& table, size_t top) {
  if (table.rows.size() <= top) return;
  const std::string more = fmt::format("{} more changes (--top N shows more)", table.rows.size() - top);
  table.rows.resize(top);
  table.rest = fmt::format("{}{}{}", more, table.rest.empty() ? "" : "; ", table.rest);
}

/// Returns the table of items whose value changed. A table of times also lists items whose launches or number
/// changed, for which `has_other_form(item)` is true. `what` names one item; `row_of(item)` returns its line.
/// The values of all other items are added up in a sentence.
template <class Item, class RowOf, class HasOtherForm>
DifferenceTable changes_of(const std::vector<Item>& items, std::optional<ValueChange> Item::*value,
                           const std::string& title, const char* what, const ReportedQuantity& quantity,
                           size_t top, const RowOf& row_of, const HasOtherForm& has_other_form) {
  const bool is_time = value == &Item::time_s;
  DifferenceTable table{title, quantity.unit, {}, {}};
  Unchanged unchanged;
  for (const Item& item : items) {
    const bool changed = (item.*value) && (item.*value)->is_change();
    if (changed || (is_time && has_other_form(item)))
      table.rows.push_back(row_of(item));
    else if (is_time || (item.*value))
      unchanged.add(item.*value);
  }
  table.rest = unchanged.text(what, quantity);
  cut(table, top);
  return table;
}

DifferenceTable kernels_of(const IterationDifference& iteration,
                           std::optional<ValueChange> KernelChange::*value, const ReportedQuantity& quantity,
                           const DifferenceStyle& style) {
  const bool is_time = value == &KernelChange::time_s;
  const KernelNames names = names_of(iteration, style.names);
  return changes_of(
      iteration.kernels, value,
      is_time ? "kernels whose time or launches changed" : "kernels whose energy changed", "kernel", quantity,
      style.top,
      [&](const KernelChange& kernel) { return kernel_row(kernel, kernel.*value, quantity, names); },
      [](const KernelChange& kernel) { return kernel.kind != KernelChangeKind::same; });
}

/// Returns the table of layers or ranges; `what` names one of them.
DifferenceTable parts_of(const std::vector<PartChange>& parts, const char* what,
                         std::optional<ValueChange> PartChange::*value, const ReportedQuantity& quantity,
                         const DifferenceStyle& style) {
  const bool is_time = value == &PartChange::time_s;
  const auto has_other_count = [](const PartChange& part) { return part.count_before != part.count_after; };
  const auto row_of = [&](const PartChange& part) {
    DifferenceRow row = part_row(printable(part.name), part.*value, quantity);
    if (has_other_count(part))
      row.notes.push_back(fmt::format("{} before, {} after", part.count_before, part.count_after));
    return row;
  };
  return changes_of(parts, value,
                    fmt::format("{}s whose {} changed", what, is_time ? "time or count" : "energy"), what,
                    quantity, style.top, row_of, has_other_count);
}

template <class List>
bool any_has(const List& list, const auto value) {
  for (const auto& one : list)
    if (one.*value) return true;
  return false;
}

/// Adds the tables of layers or ranges, if there are any.
void add_parts(std::vector<DifferenceTable>& tables, const std::vector<PartChange>& parts, const char* what,
               const DifferenceStyle& style) {
  if (parts.empty()) return;
  tables.push_back(parts_of(parts, what, &PartChange::time_s, kTime, style));
  if (any_has(parts, &PartChange::energy_j))
    tables.push_back(parts_of(parts, what, &PartChange::energy_j, kEnergy, style));
}

}  // namespace

std::vector<TableColumn<ReportedChange>> table_columns_of(const DifferenceTable& table,
                                                          const char* before_unit) {
  auto columns = change_columns(*table.rows.front().change.quantity);
  std::erase_if(columns, [&](const auto& column) { return !column.is_in(table.place()) || !column.cell; });
  for (auto& column : columns)
    if (!table.unit.empty() && column.head != table.unit) column.head += before_unit + table.unit;
  return columns;
}

std::vector<DifferenceTable> difference_tables(const Difference& difference, const DifferenceStyle& style) {
  std::vector<DifferenceTable> tables;
  for (const IterationDifference& iteration : difference.iterations) {
    tables.push_back(totals_of(iteration));
    tables.push_back(kernels_of(iteration, &KernelChange::time_s, kTime, style));
    if (any_has(iteration.kernels, &KernelChange::energy_j))
      tables.push_back(kernels_of(iteration, &KernelChange::energy_j, kEnergy, style));
    add_parts(tables, iteration.ranges, "range", style);
  }
  if (difference.run_s)
    tables.push_back(
        {"all iterations of these phases", "", {total_row("whole, us", *difference.run_s, kTime)}, {}});
  add_parts(tables, difference.layers, "layer", style);
  return tables;
}

}  // namespace kjoule
