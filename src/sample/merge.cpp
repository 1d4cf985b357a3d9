#include "sample/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <set>

#include "base/csv_rows.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/parse_number.hpp"
#include "sample/sample_name.hpp"

namespace kjoule {

namespace {

using Cells = std::vector<std::string>;

bool is_energy(const std::string& column) {
  return column.ends_with("energy(J)");
}
bool is_measured(const std::string& column) {
  return column.ends_with("dur(us)") || is_energy(column);
}

/// Rows by the numbers of their shapes.
class Join {
 public:
  void read(const std::filesystem::path& path) {
    const std::string text = read_text(path);
    CsvRows rows(text);
    Cells cells;
    if (!rows.next(cells)) throw Error(path.string() + ": empty");
    take_header(cells, path);
    while (rows.next(cells)) take_row(cells, fmt::format("{}:{}", path.string(), rows.line()));
  }

  MergedSamples merged() const {
    MergedSamples merged{fmt::format("{}\n", fmt::join(header_, ",")), rows_.size(), duplicates_, {}};
    for (const auto& [shape, cells] : rows_) merged.csv += fmt::format("{}\n", fmt::join(cells, ","));
    return merged;
  }

 private:
  void take_header(const Cells& cells, const std::filesystem::path& path) {
    if (header_.empty()) {
      if (!is_measured(cells.back()) || is_measured(cells.front()))
        throw Error(path.string() + ":1: its columns are no shape and times in us, or energies in J",
                    "parts are what kjoule sample writes to sampling_data");
      header_ = cells;
    } else if (header_ != cells) {
      throw Error(fmt::format("{}:1: has columns {} instead of {}", path.string(), fmt::join(cells, ","),
                              fmt::join(header_, ",")),
                  "join parts of one sweep");
    }
  }

  void take_row(const Cells& cells, const std::string& place) {
    if (cells.size() != header_.size())
      throw Error(fmt::format("{}: has {} cells instead of {}", place, cells.size(), header_.size()),
                  "continue the sampling, which drops a torn line");
    std::vector<double> shape;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (is_energy(header_[i]) && cells[i].empty()) continue;  // not measured
      const double number = number_of(cells[i], place);
      if (!is_measured(header_[i]))
        shape.push_back(number);
      else if (!(number > 0))
        throw Error(fmt::format("{}: {} is {}, no {}", place, header_[i], cells[i],
                                is_energy(header_[i]) ? "energy" : "time"),
                    "delete the line");
    }
    if (!rows_.try_emplace(std::move(shape), cells).second) ++duplicates_;
  }

  static double number_of(const std::string& cell, const std::string& place) {
    const auto number = parse_number(cell);
    if (!number)
      throw Error(fmt::format("{}: {} is no number", place, cell.empty() ? "an empty cell" : cell),
                  "delete the line");
    return *number;
  }

  Cells header_;
  std::map<std::vector<double>, Cells> rows_;
  size_t duplicates_ = 0;
};

}  // namespace

MergedSamples merge_samples(const std::vector<std::filesystem::path>& parts) {
  Join join;
  std::optional<SampleName> first;
  std::set<size_t> given;
  for (const std::filesystem::path& path : parts) {
    const auto name = path.extension() == ".csv" ? sample_name(path.stem()) : std::nullopt;
    if (!name)
      throw Error(path.string() + ": its name is none of a part",
                  "parts are called GPU_OPERATOR_PRECISION_PARTS_PART.csv");
    if (!first) first = name;
    if (name->whole() != first->whole() || name->parts != first->parts)
      throw Error(fmt::format("{} is of another sweep than {}", path.string(), parts.front().string()),
                  "join parts of one GPU, operator, precision and number of parts");
    given.insert(name->part);
    join.read(path);
  }
  MergedSamples merged = join.merged();
  for (size_t part = 1; first && part <= first->parts; ++part)
    if (!given.contains(part)) merged.missing_parts.push_back(part);
  return merged;
}

}  // namespace kjoule
