#include "report/difference_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text/signed_text.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using ChangeColumn = TableColumn<ReportedChange>;
using LineColumn = TableColumn<ChangedLine>;
using ChangeRow = const ReportedChange&;
using LineRow = const ChangedLine&;

constexpr Places kTables = Place::first_screen | Place::in_percent;

/// Values of this size are shown without decimals.
constexpr double kLarge = 1e5;

int decimals_of(double value, const ReportedQuantity& quantity) {
  return std::abs(value * quantity.factor) < kLarge ? quantity.decimals : 0;
}

/// Returns a function that converts a number of a change to the unit of its quantity, or to % of its share.
auto in_unit(double (*number)(const ValueChange&)) {
  return [number](ChangeRow row) {
    return row.value ? Json(row.quantity->factor * number(*row.value)) : Json();
  };
}
auto in_percent(double Interval::*number) {
  return [number](ChangeRow row) { return row.value ? Json(100 * (row.value->share().*number)) : Json(); };
}

/// Returns a function that returns the text of a change; an empty one if there is no value.
template <class Text>
auto shown_change(Text text) {
  return [text](ChangeRow row) { return row.value ? text(*row.value, *row.quantity) : std::string(); };
}

std::vector<ChangeColumn> changed_value_columns(const char* unit) {
  return {
      {"before", "before", "value of the earlier measurement", unit, kTables | kFiles,
       shown_change([](auto& value, auto& quantity) { return value_text(value.before.value, quantity); }),
       in_unit([](const ValueChange& value) { return value.before.value; }), 9},
      ChangeColumn::in_files("before_half_width", "half-width of the 95 % interval of `before`", unit, kFiles,
                             in_unit([](const ValueChange& value) { return value.before.half_width; })),
      {"after", "after", "value of the later measurement", unit, kTables | kFiles,
       shown_change([](auto& value, auto& quantity) { return value_text(value.after.value, quantity); }),
       in_unit([](const ValueChange& value) { return value.after.value; }), 9},
      ChangeColumn::in_files("after_half_width", "half-width of the 95 % interval of `after`", unit, kFiles,
                             in_unit([](const ValueChange& value) { return value.after.half_width; }))};
}

std::vector<ChangeColumn> difference_value_columns(const char* unit) {
  return {
      {unit, "change", "change: after - before", unit, Place::first_screen | kFiles,
       shown_change([](auto& value, auto& quantity) {
         const double change = value.difference().value;
         return signed_text(change * quantity.factor, decimals_of(change, quantity));
       }),
       in_unit([](const ValueChange& value) { return value.difference().value; }), 8},
      ChangeColumn::in_files(
          "change_half_width",
          "half-width of the 95 % interval of `change`: both half-widths plus the half-width between starts",
          unit, kFiles, in_unit([](const ValueChange& value) { return value.difference().half_width; })),
      {"%", "change_percent", "change in % of the earlier value", "%", Place::in_percent | kFiles,
       shown_change([](auto& value, auto&) { return signed_text(100 * value.share().value, 2); }),
       in_percent(&Interval::value), 8},
      ChangeColumn::in_files("change_half_width_percent", "`change_half_width` in % of the earlier value",
                             "%", kFiles, in_percent(&Interval::half_width)),
      ChangeColumn::in_files("changed", "whether the 95 % interval of `change` excludes 0", "", kFiles,
                             [](ChangeRow row) { return row.value ? Json(row.is_change()) : Json(); }),
      ChangeColumn::on_screen("95 %",
                              "half-width of the 95 % interval of the change; an asterisk marks a change "
                              "that is larger than its interval",
                              kTables, {})};
}

using ChangeOfLine = std::optional<ValueChange> ChangedLine::*;

/// Returns the columns of a change in CSV. The keys of values have the unit (before_us), those of shares and
/// of yes or no the quantity (time_change_percent, time_changed).
std::vector<LineColumn> csv_columns(const ReportedQuantity& quantity, ChangeOfLine change) {
  std::string unit = quantity.unit;
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char letter) { return std::tolower(letter); });
  std::vector<LineColumn> columns;
  for (const ChangeColumn& column : change_columns(quantity)) {
    if (!column.is_in(Place::csv)) continue;
    const bool has_unit = column.unit == quantity.unit;
    const auto value = [value = column.value, quantity = &quantity, change](LineRow line) -> Json {
      const Json of = value({line.*change, quantity});
      return of.is_boolean() ? Json(of.get<bool>() ? "yes" : "no") : of;
    };
    columns.push_back(LineColumn::in_files(
        has_unit ? column.key + "_" + unit : fmt::format("{}_{}", quantity.word, column.key),
        fmt::format("{}: {}", quantity.word, column.meaning), column.unit, Place::csv, value));
  }
  return columns;
}

Json launches_json(const std::vector<NamedLaunches>& launches) {
  Json list = Json::array();
  for (const NamedLaunches& one : launches) list.push_back({{"name", one.name}, {"count", one.count}});
  return list;
}

std::string launches_cell(const std::vector<NamedLaunches>& launches) {
  std::string text;
  for (const NamedLaunches& one : launches)
    text += fmt::format("{}{} x {}", text.empty() ? "" : "; ", one.count, one.name);
  return text;
}

/// Returns the columns of the launches before or after: a list in JSON, a text such as "3 x name" in CSV.
std::vector<LineColumn> launches_columns(const char* key, const char* meaning,
                                         std::vector<NamedLaunches> KernelChange::*launches,
                                         uint64_t PartChange::*count) {
  return {LineColumn::in_files(key, meaning, "", Place::json,
                               [=](LineRow line) { return launches_json(line.kernel->*launches); }),
          LineColumn::in_files(key, meaning, "", Place::csv, [=](LineRow line) {
            if (line.kernel != nullptr) return text_json(launches_cell(line.kernel->*launches));
            return line.item == nullptr ? Json()
                                        : Json(fmt::format("{} x {}", line.item->*count, line.item->name));
          })};
}

std::vector<LineColumn> columns_of_lines() {
  return joined(
      {{LineColumn::in_files("phase", "phase of the later run; empty if a single iteration was measured", "",
                             Place::csv, [](LineRow line) { return text_json(line.phase); }),
        LineColumn::in_files("part", "whole, kernel, range or layer", "", Place::csv,
                             [](LineRow line) { return line.part; }),
        LineColumn::in_files(
            "kind",
            "kind of change of a kernel. same: none; other form: the same name with another grid, shape or "
            "argument; added, removed: launches in only one iteration; fused: fewer launches than before; "
            "split: more launches; replaced: as many launches of other kernels",
            "", kFiles,
            [](LineRow line) {
              return line.kernel == nullptr ? Json() : Json(to_string(line.kernel->kind));
            })},
       launches_columns(
           "before",
           "kernels of the earlier iteration, each with its number of launches to which the entry applies",
           &KernelChange::before, &PartChange::count_before),
       launches_columns(
           "after",
           "kernels of the later iteration, each with its number of launches to which the entry applies",
           &KernelChange::after, &PartChange::count_after),
       {LineColumn::in_files(
           "occurrences", "number of places of the iteration at which this change occurs", "places", kFiles,
           [](LineRow line) { return line.kernel == nullptr ? Json() : Json(line.kernel->occurrences); })}});
}

}  // namespace

std::string value_text(double value, const ReportedQuantity& quantity) {
  return fmt::format("{:.{}f}", value * quantity.factor, decimals_of(value, quantity));
}

std::string ReportedChange::half_width_text() const {
  if (!value) return "-";
  const double half_width =
      is_in_percent ? 100 * value->share().half_width : quantity->factor * value->difference().half_width;
  const char* unit = is_in_percent ? "%" : quantity->unit;
  if (!std::isfinite(half_width)) return "unknown";
  return half_width < 100 ? fmt::format("+- {:.2g} {}", half_width, unit)
                          : fmt::format("+- {:.0f} {}", half_width, unit);
}

std::vector<ChangeColumn> change_columns(const ReportedQuantity& quantity) {
  return joined({changed_value_columns(quantity.unit), difference_value_columns(quantity.unit)});
}

TableColumns difference_columns() {
  const auto times = change_columns(kTime), energies = change_columns(kEnergy);
  return {"the tables of changes, whose units are in the heads or in the names of rows",
          explained(joined({times, energies}), kTables)};
}

const std::vector<LineColumn>& changed_line_columns() {
  static const std::vector<LineColumn> columns =
      joined({columns_of_lines(), csv_columns(kTime, &ChangedLine::time_s),
              csv_columns(kEnergy, &ChangedLine::energy_j)});
  return columns;
}

}  // namespace kjoule
