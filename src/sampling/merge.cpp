#include "sampling/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/files/csv.hpp"
#include "base/files/csv_rows.hpp"
#include "base/files/files.hpp"
#include "base/files/operator_files.hpp"
#include "base/numbers/measured_range.hpp"
#include "base/numbers/statistics.hpp"
#include "base/text/parse_number.hpp"
#include "device/sample_row.hpp"
#include "sampling/sample_name.hpp"
#include "sampling/time_column.hpp"

namespace kjoule {

namespace {

using Cells = std::vector<std::string>;

/// Returns the name of the direction whose times the column contains.
std::string direction_in(const std::string& column) {
  if (column.starts_with("F_")) return "forward";
  return column.starts_with("B_") ? "backward" : "step";
}

/// The values of a shape that one measurement yields: one for each column of times.
struct MeasuredValues {
  std::vector<std::optional<double>> us{}, graph_us{}, joules{};

  void add(const SampleRow& row, const std::string& direction) {
    const auto found = row.answer.directions.find(direction);
    const bool timed = found != row.answer.directions.end() && !found->second.passes_us.empty();
    const bool replayed = timed && found->second.replay;
    us.push_back(timed ? std::optional(median(found->second.passes_us)) : std::nullopt);
    graph_us.push_back(replayed ? found->second.replay->graph_us : std::nullopt);
    joules.push_back(replayed ? found->second.replay->energy_j : std::nullopt);
  }
};

/// All measurements of a shape.
using Measurements = std::vector<MeasuredValues>;

constexpr size_t kDecisive = 3;         ///< from this number of measurements on, their median is taken
constexpr double kContradiction = 1.1;  ///< ratio of two times above which they contradict each other

/// Returns for each column the median of the measurements; nothing for a column that none of them has.
std::vector<std::optional<double>> medians(const Measurements& all,
                                           std::vector<std::optional<double>> MeasuredValues::*values) {
  std::vector<std::optional<double>> found;
  for (size_t column = 0; column < (all.front().*values).size(); ++column) {
    std::vector<double> known;
    for (const MeasuredValues& one : all)
      if ((one.*values)[column]) known.push_back(*(one.*values)[column]);
    found.push_back(known.empty() ? std::nullopt : std::optional(median(known)));
  }
  return found;
}

/// Removes energies that are not above 0, which a meter states if it is too coarse, or if its reading did not
/// follow the work. Returns their number.
size_t remove_impossible_energies(MeasuredValues& values) {
  size_t removed = 0;
  for (std::optional<double>& joules : values.joules)
    if (joules && !(*joules > 0)) {
      joules.reset();
      ++removed;
    }
  return removed;
}

/// Returns the values that represent a shape: the medians of at least three measurements; otherwise the times
/// of the first one, and the replayed values of the last one.
MeasuredValues representative(const Measurements& all) {
  if (all.size() < kDecisive) return {all.front().us, all.back().graph_us, all.back().joules};
  return {medians(all, &MeasuredValues::us), medians(all, &MeasuredValues::graph_us),
          medians(all, &MeasuredValues::joules)};
}

bool contradict(const MeasuredValues& a, const MeasuredValues& b) {
  for (size_t column = 0; column < a.us.size(); ++column)
    if (a.us[column] && b.us[column] &&
        std::max(*a.us[column] / *b.us[column], *b.us[column] / *a.us[column]) > kContradiction)
      return true;
  return false;
}

bool has_any(const std::vector<std::optional<double>>& values) {
  return std::any_of(values.begin(), values.end(), [](const auto& value) { return value.has_value(); });
}

bool has_all(const std::vector<std::optional<double>>& values) {
  return std::all_of(values.begin(), values.end(), [](const auto& value) { return value.has_value(); });
}

/// A row of a part, with its line.
struct PartRow {
  Cells cells;
  size_t line = 0;
  bool is_confirmed = false;  ///< whether the part's JSONL contains the same row
};

/// The rows of one part, by the numbers of their shapes.
using PartRows = std::map<std::vector<double>, PartRow>;

constexpr double kMostSize = 1e15;
constexpr const char* kAddAgain = "repeat the kjoule sample command of this part, which adds missing rows";

/// Merges the rows of parts, sorted by the numbers of their shapes.
class PartMerger {
 public:
  void read(const std::filesystem::path& path) {
    const std::string text = read_text(path);
    CsvRows rows(text, path.string());
    Cells cells;
    if (!rows.next(cells))
      throw Error(path.string() + ": this file is empty",
                  "repeat the kjoule sample command of this part, or merge without it: --incomplete");
    take_header(cells, path);
    PartRows part;
    while (rows.next(cells)) {
      const auto shape = take_row(cells, fmt::format("{}:{}", path.string(), rows.line()));
      if (rows_.size() > kSampleLimit)
        throw Error(fmt::format("{}:{}: the tables have more than {} samples (sample limit)", path.string(),
                                rows.line(), kSampleLimit),
                    "merge fewer parts, or divide the sweep");
      part.try_emplace(shape, PartRow{cells, rows.line()});
    }
    if (!text.ends_with('\n'))
      throw Error(fmt::format("{}:{}: the file ends within this line", path.string(), rows.line()),
                  "repeat the kjoule sample command of this part, which replaces incomplete lines");
    std::filesystem::path jsonl = path;
    jsonl.replace_extension(".jsonl");
    if (std::filesystem::exists(jsonl)) read_jsonl(jsonl, path, std::move(part));
  }

  MergedSamples merge(SampleTimes times) const {
    const bool energies = has_energies();
    MergedSamples merged;
    for (const auto& [shape, is_error] : failed_) merged.failed += is_error && !rows_.contains(shape) ? 1 : 0;
    merged.csv = fmt::format("{}{}\n", csv_line(header_), energies ? energy_columns() : "");
    merged.duplicates = duplicates_;
    merged.unfinished = unfinished_;
    for (const auto& [shape, cells] : rows_) {
      const auto found = measured_.find(shape);
      auto values = found == measured_.end() ? std::nullopt : std::optional(representative(found->second));
      if (times == SampleTimes::graph && (!values || !has_all(values->graph_us))) {
        ++merged.without_graph;
        continue;
      }
      if (values) merged.impossible_energies += remove_impossible_energies(*values);
      const bool is_repeated = values && found->second.size() >= kDecisive;
      merged.replaced += is_repeated ? 1 : 0;
      if (values && found->second.size() == 2 && contradict(found->second[0], found->second[1]))
        merged.contradicted.push_back(fmt::format("{}", fmt::join(shape, ",")));
      Cells row = cells;
      if (times == SampleTimes::graph)
        row = cells_with_times(cells, values->graph_us);
      else if (is_repeated)
        row = cells_with_times(cells, values->us);
      merged.csv += fmt::format("{}{}\n", fmt::join(row, ","), energies ? energy_cells(values) : "");
      ++merged.rows;
    }
    return merged;
  }

 private:
  void take_header(const Cells& cells, const std::filesystem::path& path) {
    if (header_.empty()) {
      if (!is_time_column(cells.back()) || is_time_column(cells.front()))
        throw Error(path.string() + ":1: the columns are not sizes followed by times in us",
                    "give files that kjoule sample wrote to sampling_data");
      if (std::set<std::string>(cells.begin(), cells.end()).size() < cells.size())
        throw Error(path.string() + ":1: two columns have the same name",
                    "give files that kjoule sample wrote to sampling_data");
      header_ = cells;
    } else if (header_ != cells) {
      throw Error(fmt::format("{}:1: has columns {} instead of {}", path.string(), fmt::join(cells, ","),
                              fmt::join(header_, ",")),
                  "merge only parts of one sweep");
    }
  }

  std::vector<double> take_row(const Cells& cells, const std::string& place) {
    if (cells.size() != header_.size())
      throw Error(fmt::format("{}: has {} cells instead of {}", place, cells.size(), header_.size()),
                  "repeat the kjoule sample command of this part, which replaces incomplete lines");
    std::vector<double> shape;
    for (size_t i = 0; i < cells.size(); ++i) {
      const double number = number_of(cells[i], place);
      if (is_time_column(header_[i])) {
        if (!kWorkTime.in("us", 1e6).contains(number))
          throw Error(fmt::format("{}: {} is {}, which is not a time from 0.001 to 1e14 us", place,
                                  header_[i], cells[i]),
                      "delete the line");
        continue;
      }
      if (!(number >= 0 && number <= kMostSize) || number != std::floor(number))
        throw Error(fmt::format("{}: {} is {}, which is not a size (a whole number from 0)", place,
                                header_[i], cells[i]),
                    "delete the line");
      shape.push_back(number);
    }
    if (!rows_.try_emplace(shape, cells).second) ++duplicates_;
    return shape;
  }

  /// Reads energies and graph times from a JSONL, in which the last row of a shape replaces earlier ones, and
  /// checks the rows of the part against it.
  void read_jsonl(const std::filesystem::path& jsonl, const std::filesystem::path& csv, PartRows part) {
    std::vector<std::string> parameters;
    for (const std::string& column : header_)
      if (!is_time_column(column)) parameters.push_back(column);
    std::set<std::vector<double>> shapes;
    const SampledRun run = read_sample_rows(jsonl, parameters, [&](const SampleRow& row) {
      take_values(row);
      shapes.insert({row.shape.begin(), row.shape.end()});
      failed_[{row.shape.begin(), row.shape.end()}] = row.answer.status == SampleStatus::error;
      if (row.answer.status == SampleStatus::measured) confirm(row, csv, part);
    });
    for (const auto& [shape, row] : part)
      if (!row.is_confirmed)
        throw Error(fmt::format("{}:{}: {} does not contain this row: it was changed or cut off",
                                csv.string(), row.line, jsonl.filename().string()),
                    fmt::format("delete the line, and {}", kAddAgain));
    const std::string differs = difference(run.definition, definition_);
    if (!differs.empty())
      throw Error(fmt::format("{}: was sampled with other settings than the parts before it: {}",
                              jsonl.string(), differs),
                  "merge only parts of one sweep");
    if (!run.definition.is_null()) definition_ = run.definition;
    if (shapes.size() < run.samples)
      unfinished_.push_back(fmt::format("{}: {} of {} samples", jsonl.string(), shapes.size(), run.samples));
  }

  /// Marks the row of the part that was made of a sample. An earlier sample of the same shape may have other
  /// times. Throws Error if the part has no row of this shape.
  static void confirm(const SampleRow& sample, const std::filesystem::path& csv, PartRows& part) {
    const auto found = part.find({sample.shape.begin(), sample.shape.end()});
    if (found == part.end())
      throw Error(fmt::format("{}: the row of the shape {}, which was measured, is missing", csv.string(),
                              fmt::join(sample.shape, ",")),
                  kAddAgain);
    const std::string line = to_csv(sample);
    Cells cells;
    CsvRows(line, csv.string()).next(cells);
    PartRow& row = found->second;
    row.is_confirmed =
        row.is_confirmed || std::ranges::equal(row.cells, cells, {}, parse_number, parse_number);
  }

  /// Adds the values of a row. A row that only adds energies to the times of the row before replaces it.
  void take_values(const SampleRow& row) {
    if (row.answer.status != SampleStatus::measured) return;
    MeasuredValues values;
    for (const std::string& column : header_)
      if (is_time_column(column)) values.add(row, direction_in(column));
    Measurements& all = measured_[{row.shape.begin(), row.shape.end()}];
    if (!all.empty() && all.back().us == values.us) all.pop_back();
    all.push_back(std::move(values));
  }

  bool has_energies() const {
    return std::any_of(measured_.begin(), measured_.end(), [](const auto& one) {
      MeasuredValues values = representative(one.second);
      remove_impossible_energies(values);
      return has_any(values.joules);
    });
  }

  Cells cells_with_times(Cells cells, const std::vector<std::optional<double>>& times) const {
    for (size_t i = 0, time = 0; i < cells.size(); ++i) {
      if (!is_time_column(header_[i])) continue;
      if (times[time]) cells[i] = fmt::format("{:.3f}", *times[time]);
      ++time;
    }
    return cells;
  }

  std::string energy_columns() const {
    std::string columns;
    for (const std::string& column : header_)
      if (is_time_column(column)) columns += ',' + column.substr(0, column.find("dur(us)")) + "energy(J)";
    return columns;
  }

  /// Returns the cells of the energy columns; a cell without energy is empty.
  std::string energy_cells(const std::optional<MeasuredValues>& values) const {
    if (!values)
      return std::string(static_cast<size_t>(std::count_if(header_.begin(), header_.end(), is_time_column)),
                         ',');
    std::string cells;
    for (const auto& joules : values->joules) cells += joules ? fmt::format(",{:.6g}", *joules) : ",";
    return cells;
  }

  static double number_of(const std::string& cell, const std::string& place) {
    const auto number = parse_number(cell);
    if (!number)
      throw Error(fmt::format("{}: {} is not a number", place, cell.empty() ? "an empty cell" : cell),
                  "delete the line");
    return *number;
  }

  Cells header_;
  nlohmann::json definition_;
  std::vector<std::string> unfinished_;
  std::map<std::vector<double>, Cells> rows_;
  std::map<std::vector<double>, Measurements> measured_;  ///< by the numbers of the shapes
  /// Whether the latest sample of a shape has the status error, by the numbers of the shapes.
  std::map<std::vector<double>, bool> failed_;
  size_t duplicates_ = 0;
};

}  // namespace

MergedSamples merge_samples(const std::vector<std::filesystem::path>& parts, SampleTimes times) {
  PartMerger merger;
  std::optional<SampleName> first;
  std::set<size_t> given;
  for (const std::filesystem::path& path : parts) {
    const auto name = path.extension() == ".csv" ? parse_sample_name(path.stem()) : std::nullopt;
    if (!name)
      throw Error(path.string() + ": this is not the name of a part of a sweep",
                  "give files that are named GPU_OPERATOR_PRECISION_PARTS_PART.csv");
    if (!first) first = name;
    if (name->sweep() != first->sweep() || name->parts != first->parts)
      throw Error(fmt::format("{} belongs to another sweep than {}", path.string(), parts.front().string()),
                  "merge only parts of one GPU, operator, precision and number of parts");
    given.insert(name->part);
    merger.read(path);
  }
  MergedSamples merged = merger.merge(times);
  for (size_t part = 1; first && part <= first->parts; ++part)
    if (!given.contains(part)) merged.missing_parts.push_back(part);
  return merged;
}

}  // namespace kjoule
