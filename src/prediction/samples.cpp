#include "prediction/samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/files/csv_rows.hpp"
#include "base/files/operator_files.hpp"
#include "base/numbers/measured_range.hpp"
#include "base/text/parse_number.hpp"
#include "prediction/operator_kind.hpp"

namespace kjoule {

namespace {

constexpr double kMostSize = 1e15;  ///< elements of a collective are the largest sizes
constexpr const char* kHeaders =
    "write the columns of the shape, then F_dur(us),B_dur(us) or dur(us), then, if energies were measured, "
    "F_energy(J),B_energy(J) or energy(J)";

/// The columns of the only table of estimate-train-time whose time has no unit. The unit is us, as in its
/// other tables.
const std::vector<std::string> kGuidesOptimizer{"num_layers", "hidden_size", "param_tensors", "params",
                                                "dur"};

/// Parses a number that may be surrounded by blanks.
std::optional<double> number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return parse_number(text);
}

struct CostColumn {
  Direction direction;
  Measurand quantity;
};

/// Returns the direction and quantity of a column with times or energies; no value for a column of the shape.
std::optional<CostColumn> find_cost_column(const std::string& column) {
  static const std::map<std::string, CostColumn> known{
      {"F_dur(us)", {Direction::forward, Measurand::time}},
      {"B_dur(us)", {Direction::backward, Measurand::time}},
      {"dur(us)", {Direction::step, Measurand::time}},
      {"F_energy(J)", {Direction::forward, Measurand::energy}},
      {"B_energy(J)", {Direction::backward, Measurand::energy}},
      {"energy(J)", {Direction::step, Measurand::energy}}};
  const auto found = known.find(column);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

/// Returns whether a column's name looks like a time or energy in an unsupported unit.
bool has_other_unit(const std::string& column) {
  for (const std::string name : {"dur", "energy"})
    if (column == name || column.ends_with("_" + name) || column.find(name + "(") != std::string::npos)
      return true;
  return false;
}

class SampleTableReader {
 public:
  SampleTableReader(std::string_view csv, const std::string& file, const std::string& operation)
      : rows_(csv, file),
        is_cut_off_(!csv.ends_with('\n')),
        file_(file),
        known_(find_operator_kind(operation)) {}

  Samples read() {
    read_header();
    std::vector<std::string> cells;
    while (rows_.next(cells)) add_row(cells);
    if (rows_.cut_off()) fail("the file ends within quotation marks");
    if (samples_.shapes.empty()) fail("the table has no rows");
    if (is_cut_off_)
      fail("the file ends within this line, so its last number may be incomplete",
           "copy the table again, or end the line if it is complete");
    return std::move(samples_);
  }

 private:
  [[noreturn]] void fail(const std::string& cause,
                         const std::string& remedy = "measure the operator again with kjoule sample") const {
    throw Error(fmt::format("{}:{}: {}", file_, std::max<size_t>(1, rows_.line()), cause), remedy);
  }

  void read_header() {
    std::vector<std::string> header;
    if (!rows_.next(header)) fail("the table is empty");
    if (header == kGuidesOptimizer) header.back() = "dur(us)";
    for (const std::string& column : header) add_column(column);
    if (samples_.us.empty()) fail("the header has no column with times", kHeaders);
    if (samples_.columns.empty()) fail("the header has no column with sizes", kHeaders);
    if (known_ && known_->columns != samples_.columns)
      fail(fmt::format("the columns with sizes are {}, but those of {} are {}",
                       fmt::join(samples_.columns, ","), known_->name, fmt::join(known_->columns, ",")),
           "use these columns in this order, or give the operator another name");
  }

  void add_column(const std::string& column) {
    const auto is = find_cost_column(column);
    if (is) {
      const bool is_time = is->quantity == Measurand::time;
      const bool first = is_time ? samples_.us.try_emplace(is->direction).second
                                 : samples_.joules.try_emplace(is->direction).second;
      if (!first) fail("the header has two columns " + column, kHeaders);
      if (!samples_.us.contains(is->direction))
        fail(fmt::format("the column {} with energies has no column with times before it", column), kHeaders);
      cost_columns_.push_back(*is);
    } else if (has_other_unit(column)) {
      fail(fmt::format("column '{}' has an unknown unit", column), kHeaders);
    } else if (std::ranges::find(samples_.columns, column) != samples_.columns.end()) {
      fail("the header has two columns " + column, kHeaders);
    } else if (cost_columns_.empty() && !column.empty()) {
      samples_.columns.push_back(column);
    } else {
      fail(fmt::format("the column '{}' is not known", column), kHeaders);
    }
  }

  void add_row(const std::vector<std::string>& cells) {
    if (samples_.shapes.size() == kSampleLimit)
      fail(fmt::format("the table has more than {} samples (sample limit)", kSampleLimit),
           "divide it, or keep a part of its rows");
    const size_t wanted = samples_.columns.size() + cost_columns_.size();
    if (cells.size() != wanted)
      fail(fmt::format("the row has {} cells, but the header has {}", cells.size(), wanted));
    std::vector<double> shape;
    for (size_t c = 0; c < samples_.columns.size(); ++c) {
      const auto size = number(cells[c]);
      const int least = samples_.columns[c] == "intermediate_size" ? 0 : 1;
      if (!size || !(*size >= least) || *size > kMostSize || *size != std::floor(*size))
        fail(fmt::format("{} is '{}', which is not a size (a whole number from {})", samples_.columns[c],
                         cells[c], least));
      shape.push_back(*size);
    }
    for (size_t m = 0; m < cost_columns_.size(); ++m)
      add_cost(cost_columns_[m], cells[samples_.columns.size() + m]);
    samples_.shapes.push_back(std::move(shape));
  }

  void add_cost(const CostColumn& is, const std::string& cell) {
    const bool is_time = is.quantity == Measurand::time;
    if (!is_time && cell.empty()) {
      samples_.joules[is.direction].push_back({});
      return;
    }
    const auto cost = number(cell);
    const double most = (is_time ? kWorkTime.in("us", 1e6) : kEnergyRange).most;
    if (!cost || !(*cost > 0 && *cost <= most))
      fail(fmt::format("the {} {} is '{}', not a number of {} above 0 and up to {:g}",
                       direction_text(is.direction), is_time ? "time" : "energy", cell, is_time ? "us" : "J",
                       most));
    if (is_time)
      samples_.us[is.direction].push_back(*cost);
    else
      samples_.joules[is.direction].push_back(*cost);
  }

  CsvRows rows_;
  bool is_cut_off_;  ///< whether the last line has no end
  const std::string& file_;
  const OperatorKind* known_;  ///< null for an operator that kjoule does not know
  Samples samples_;
  std::vector<CostColumn> cost_columns_;
};

}  // namespace

std::string direction_text(Direction direction) {
  switch (direction) {
    case Direction::forward:
      return "forward";
    case Direction::backward:
      return "backward";
    case Direction::step:
      return "step";
  }
  return {};
}

std::optional<Direction> find_direction(const std::string& name) {
  if (name == "forward" || name == "fwd") return Direction::forward;
  if (name == "backward" || name == "bwd") return Direction::backward;
  if (name == "step" || name == "dur") return Direction::step;
  return {};
}

Direction parse_direction(const std::string& name) {
  if (const auto direction = find_direction(name)) return *direction;
  throw Error(name + ": no such direction", "use forward, backward, or step (optimizers)");
}

size_t count_different(std::vector<std::vector<double>> shapes) {
  std::sort(shapes.begin(), shapes.end());
  return static_cast<size_t>(std::unique(shapes.begin(), shapes.end()) - shapes.begin());
}

MeasuredShapes Samples::select(Direction direction, Measurand quantity) const {
  if (quantity == Measurand::time) {
    const auto times = us.find(direction);
    return times == us.end() ? MeasuredShapes{} : MeasuredShapes{shapes, times->second};
  }
  MeasuredShapes some;
  const auto energies = joules.find(direction);
  for (size_t r = 0; energies != joules.end() && r < shapes.size(); ++r) {
    if (!energies->second[r]) continue;
    some.shapes.push_back(shapes[r]);
    some.costs.push_back(*energies->second[r]);
  }
  return some;
}

Samples read_samples(std::string_view csv, const std::string& file, const std::string& operation) {
  return SampleTableReader(csv, file, operation).read();
}

}  // namespace kjoule
