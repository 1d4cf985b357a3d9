#include "base/files/csv_rows.hpp"

#include <gtest/gtest.h>

#include "base/files/csv.hpp"

namespace kjoule {
namespace {

using Cells = std::vector<std::string>;

TEST(CsvRows, ReadsWhatCsvLineWrites) {
  const std::vector<Cells> rows = {{"a", "b,c", "d\"e\""}, {"two\nlines", "", "\r\n"}, {"", "x", ""}};
  std::string text;
  for (const Cells& row : rows) text += csv_line(row) + "\r\n\n";
  CsvRows reader(text);
  Cells cells;
  for (const Cells& row : rows) {
    ASSERT_TRUE(reader.next(cells));
    EXPECT_EQ(cells, row);
  }
  EXPECT_FALSE(reader.next(cells));
  EXPECT_FALSE(reader.cut_off());
}

TEST(CsvRows, KnowsItsLine) {
  CsvRows reader("a\n\"b\nc\",d\n\ne");
  Cells cells;
  for (const size_t line : {1u, 2u, 5u}) {
    ASSERT_TRUE(reader.next(cells));
    EXPECT_EQ(reader.line(), line);
  }
}

TEST(CsvRows, SaysWhenItIsCutOff) {
  CsvRows reader("a,\"b");
  Cells cells;
  EXPECT_TRUE(reader.next(cells));
  EXPECT_TRUE(reader.cut_off());
}

}  // namespace
}  // namespace kjoule
