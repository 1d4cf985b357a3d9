#include "base/files/csv.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "base/files/csv_rows.hpp"

namespace kjoule {
namespace {

/// Returns the cells that a reader of RFC 4180 finds in one record.
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

TEST(CsvLine, MakesFormulasText) {
  for (const std::string formula : {"=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "--5", "-cmd", "-inf"})
    EXPECT_EQ(csv_line({formula}), "'" + formula);
  EXPECT_EQ(csv_line({"\t=1", "\r=1", "'=1"}), "'\t=1,\"'\r=1\",''=1");
}

TEST(CsvLine, LeavesNumbersAndSignsAlone) {
  EXPECT_EQ(csv_line({"-1.5", "+2", "-.5e-3", "-", "+", "a=b", "'quoted'"}),
            "-1.5,+2,-.5e-3,-,+,a=b,'quoted'");
}

TEST(NumberCell, IsEmptyForWhatIsNoFiniteNumber) {
  EXPECT_EQ(number_cell(0.1), "0.1");
  EXPECT_EQ(number_cell(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(number_cell(std::numeric_limits<double>::quiet_NaN()), "");
}

RC_GTEST_PROP(CsvLine, IsReadBackAsItWas, ()) {
  const auto cell = rc::gen::container<std::string>(rc::gen::element(',', '"', '\n', '\r', ' ', 'a', 'b'));
  const auto cells = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(
      rc::gen::map(cell, [](const std::string& text) { return "c" + text; })));
  RC_ASSERT(parse(csv_line(cells)) == cells);
}

RC_GTEST_PROP(CsvLine, IsReadBackByCsvRows, ()) {
  const auto cell =
      rc::gen::container<std::string>(rc::gen::element(',', '"', '\n', '\r', '=', '-', '\'', '1', 'a'));
  std::vector<std::string> cells = *rc::gen::container<std::vector<std::string>>(cell);
  cells.push_back("last");
  const std::string line = csv_line(cells);
  std::vector<std::string> read;
  RC_ASSERT(CsvRows(line, "line").next(read));
  RC_ASSERT(read == cells);
}

}  // namespace
}  // namespace kjoule
