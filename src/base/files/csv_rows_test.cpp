#include "base/files/csv_rows.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files/csv.hpp"
#include "base/files/input_file.hpp"

namespace kjoule {
namespace {

using Cells = std::vector<std::string>;

TEST(CsvRows, ReadsWhatCsvLineWrites) {
  const std::vector<Cells> rows = {{"a", "b,c", "d\"e\""}, {"two\nlines", "", "\r\n"}, {"", "x", ""}};
  std::string text;
  for (const Cells& row : rows) text += csv_line(row) + "\r\n\n";
  CsvRows reader(text, "table");
  Cells cells;
  for (const Cells& row : rows) {
    ASSERT_TRUE(reader.next(cells));
    EXPECT_EQ(cells, row);
  }
  EXPECT_FALSE(reader.next(cells));
  EXPECT_FALSE(reader.cut_off());
}

TEST(CsvRows, KnowsItsLine) {
  CsvRows reader("a\n\"b\nc\",d\n\ne", "table");
  Cells cells;
  for (const size_t line : {1u, 2u, 5u}) {
    ASSERT_TRUE(reader.next(cells));
    EXPECT_EQ(reader.line(), line);
  }
}

TEST(CsvRows, ReadsAPartOfAFile) {
  const std::string text = "a\n\"b\nc\",d\n\ne,f";
  CsvRows whole(text, "table");
  Cells cells;
  ASSERT_TRUE(whole.next(cells));
  CsvRows part(whole.rest(), "table", CsvQuotes::doubled, whole.next_line());
  ASSERT_TRUE(part.next(cells));
  EXPECT_EQ(part.line(), 2u);
  EXPECT_EQ(cells, (Cells{"b\nc", "d"}));
  ASSERT_TRUE(part.next(cells));
  EXPECT_EQ(part.line(), 5u);
  EXPECT_EQ(cells, (Cells{"e", "f"}));
  EXPECT_TRUE(part.rest().empty());
}

TEST(CsvRows, RefusesRowsWithTooManyCellsOrBytes) {
  const auto refusal_of = [](const std::string& text) {
    CsvRows reader(text, "table");
    Cells cells;
    try {
      while (reader.next(cells)) continue;
    } catch (const Error& error) {
      return error.line();
    }
    return std::string();
  };
  EXPECT_EQ(refusal_of(std::string(CsvRows::kColumnLimit - 1, ',')), "");
  EXPECT_EQ(refusal_of("a\n" + std::string(CsvRows::kColumnLimit, ',')),
            "table:2: the row has more than 4096 cells (column limit); check that this is the right file");
  EXPECT_EQ(refusal_of("a\n\"" + std::string(kLineLimit, 'a')),
            "table:2: the row has more than 64 MiB (line limit); check that this is the right file");
}

TEST(CsvRows, SaysWhenItIsCutOff) {
  CsvRows reader("a,\"b", "table");
  Cells cells;
  EXPECT_TRUE(reader.next(cells));
  EXPECT_TRUE(reader.cut_off());
}

}  // namespace
}  // namespace kjoule
