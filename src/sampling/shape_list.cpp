#include "sampling/shape_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/files/csv_rows.hpp"
#include "base/text/parse_number.hpp"

namespace kjoule {

std::vector<SampleShape> read_shape_list(std::string_view csv, const std::string& file,
                                         const std::vector<std::string>& parameters) {
  constexpr const char* kRemedy = "give a file that kjoule train --repeat-list wrote for this operator";
  constexpr double kMostSize = 1e15;
  CsvRows rows(csv, file);
  std::vector<std::string> cells;
  const bool has_header = rows.next(cells);
  if (!has_header || cells.size() < parameters.size() ||
      !std::equal(parameters.begin(), parameters.end(), cells.begin()))
    throw Error(fmt::format("{}:1: the first columns are not {}", file, fmt::join(parameters, ",")), kRemedy);
  std::vector<SampleShape> shapes;
  std::set<SampleShape> known;
  while (rows.next(cells)) {
    SampleShape shape;
    for (size_t c = 0; c < parameters.size(); ++c) {
      const auto number = c < cells.size() ? parse_number(cells[c]) : std::nullopt;
      if (!number || !(*number >= 0 && *number <= kMostSize) || *number != std::floor(*number))
        throw Error(fmt::format("{}:{}: {} is not a size (a whole number)", file, rows.line(), parameters[c]),
                    "correct the line");
      shape.push_back(static_cast<int64_t>(*number));
    }
    if (known.insert(shape).second) shapes.push_back(std::move(shape));
  }
  if (shapes.empty()) throw Error(file + ": the file lists no shape", kRemedy);
  return shapes;
}

}  // namespace kjoule
