#include "predict/samples.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/csv_rows.hpp"
#include "base/error.hpp"
#include "base/parse_number.hpp"

namespace kjoule {

namespace {

constexpr const char* kHeaders = "the shape's columns, then F_dur(us),B_dur(us) or dur(us)";

/// The guide's one table whose time has no unit; it is us, as in its others.
const std::vector<std::string> kGuidesOptimizer{"num_layers", "hidden_size", "param_tensors", "params",
                                                "dur"};

/// With blanks around it.
std::optional<double> number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return parse_number(text);
}

/// What a column of times is of; nothing for a column of the shape.
std::optional<Direction> timed(const std::string& column) {
  if (column == "F_dur(us)") return Direction::forward;
  if (column == "B_dur(us)") return Direction::backward;
  if (column == "dur(us)") return Direction::step;
  return {};
}

class Reader {
 public:
  Reader(std::string_view csv, const std::string& file) : rows_(csv), file_(file) {}

  Samples read() {
    read_header();
    std::vector<std::string> cells;
    while (rows_.next(cells)) take(cells);
    if (rows_.cut_off()) fail("ends within quotes");
    if (samples_.shapes.empty()) fail("has no rows");
    return std::move(samples_);
  }

 private:
  [[noreturn]] void fail(const std::string& cause,
                         const std::string& remedy = "sample the operator again") const {
    throw Error(fmt::format("{}:{}: {}", file_, std::max<size_t>(1, rows_.line()), cause), remedy);
  }

  void read_header() {
    std::vector<std::string> header;
    if (!rows_.next(header)) fail("is empty");
    if (header == kGuidesOptimizer) header.back() = "dur(us)";
    for (const std::string& column : header) {
      const auto direction = timed(column);
      if (direction) {
        if (samples_.us.contains(*direction))
          fail(column + " stands there twice", fmt::format("the header is {}", kHeaders));
        samples_.us[*direction];
        directions_.push_back(*direction);
      } else if (column == "dur" || column.find("dur(") != std::string::npos || column.ends_with("_dur")) {
        fail(fmt::format("the times of column '{}' are in no unit that is known", column),
             "give them in us and call it dur(us), F_dur(us) or B_dur(us)");
      } else if (directions_.empty() && !column.empty()) {
        samples_.columns.push_back(column);
      } else {
        fail(fmt::format("column '{}' is not known here", column), fmt::format("the header is {}", kHeaders));
      }
    }
    if (directions_.empty() || samples_.columns.empty())
      fail("its header has no times or no shape", fmt::format("the header is {}", kHeaders));
  }

  void take(const std::vector<std::string>& cells) {
    const size_t wanted = samples_.columns.size() + directions_.size();
    if (cells.size() != wanted) fail(fmt::format("{} cells, the header has {}", cells.size(), wanted));
    std::vector<double> shape;
    for (size_t c = 0; c < samples_.columns.size(); ++c) {
      const auto size = number(cells[c]);
      if (!size || *size < 0)
        fail(fmt::format("{} is '{}', which is no size", samples_.columns[c], cells[c]));
      shape.push_back(*size);
    }
    for (size_t d = 0; d < directions_.size(); ++d) {
      const std::string& cell = cells[samples_.columns.size() + d];
      const auto us = number(cell);
      if (!us || *us <= 0)
        fail(fmt::format("the {} time is '{}', not a number of us above 0", direction_name(directions_[d]),
                         cell));
      samples_.us[directions_[d]].push_back(*us);
    }
    samples_.shapes.push_back(std::move(shape));
  }

  CsvRows rows_;
  const std::string& file_;
  Samples samples_;
  std::vector<Direction> directions_;
};

}  // namespace

std::string direction_name(Direction direction) {
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

Direction direction_of(const std::string& name) {
  if (name == "forward" || name == "fwd") return Direction::forward;
  if (name == "backward" || name == "bwd") return Direction::backward;
  if (name == "step" || name == "dur") return Direction::step;
  throw Error(name + ": no such direction", "use forward, backward, or step (optimizers)");
}

Samples read_samples(std::string_view csv, const std::string& file) {
  return Reader(csv, file).read();
}

}  // namespace kjoule
