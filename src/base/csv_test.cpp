#include "base/csv.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace kjoule {
namespace {

/// What a reader that follows RFC 4180 makes of one record.
std::vector<std::string> parse(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

TEST(CsvLine, LeavesPlainCellsAlone) {
  EXPECT_EQ(csv_line({"aten::linear", "12", "0.5 us"}), "aten::linear,12,0.5 us");
}

TEST(CsvLine, QuotesCommasQuotesAndNewlines) {
  EXPECT_EQ(csv_line({"f<int, 3>", "say \"hi\"", "a\nb", "c\rd"}),
            "\"f<int, 3>\",\"say \"\"hi\"\"\",\"a\nb\",\"c\rd\"");
}

TEST(CsvLine, KeepsEmptyCells) {
  EXPECT_EQ(csv_line({"", "", ""}), ",,");
  EXPECT_EQ(csv_line({""}), "\"\"");
  EXPECT_EQ(csv_line({}), "");
}

TEST(NumberCell, IsEmptyForWhatIsNoFiniteNumber) {
  EXPECT_EQ(number_cell(0.1), "0.1");
  EXPECT_EQ(number_cell(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(number_cell(std::numeric_limits<double>::quiet_NaN()), "");
}

RC_GTEST_PROP(CsvLine, IsReadBackAsItWas, ()) {
  const auto cell = rc::gen::container<std::string>(rc::gen::element(',', '"', '\n', '\r', ' ', 'a', 'b'));
  const auto cells = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(cell));
  RC_ASSERT(parse(csv_line(cells)) == cells);
}

}  // namespace
}  // namespace kjoule
