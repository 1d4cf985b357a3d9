#include "run/rows.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

struct Half {
  static constexpr const char* kKind = "half";
  double x = 0;
};
template <class Fields>
void describe(Fields& fields, Half& half) {
  fields("x", half.x);
}
struct Other : Half {
  static constexpr const char* kKind = "other";
};

TEST(ResultRows, KeepsWhatAKilledRunFinishedAndDropsTheTornLine) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  {
    ResultRows rows = ResultRows::create(path);
    rows.append({{"kind", "run"}});
    rows.append({{"kind", "half"}, {"x", 0.1}});
  }
  const std::string whole = read_text(path);
  write_atomic(path, whole + "{\"kind\":\"rou");
  ResultRows rows = ResultRows::resume(path);
  ASSERT_EQ(rows.rows().count<Half>(), 1u);
  EXPECT_EQ(read_text(path), whole);
  rows.append({{"kind", "half"}, {"x", 0.2}});
  EXPECT_EQ(ResultRows::resume(path).rows().all<Half>().back().x, 0.2);
}

TEST(ResultRows, NeverChangesAFileOfOthers) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  for (const std::string text :
       {"notes without a line end", "notes\nand a last line", "{\"x\": 1}\nnotes", "\n{"}) {
    write_atomic(path, text);
    EXPECT_THROW(ResultRows::resume(path), Error) << text;
    EXPECT_EQ(read_text(path), text);
  }
}

TEST(ResultRows, NamesADamagedLine) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  write_atomic(path, "{\"kind\":\"run\"}\n[1,2]\n{\"kind\":\"round\"}\n");
  try {
    ResultRows::resume(path);
    FAIL() << "a damaged row was taken";
  } catch (const Error& error) {
    EXPECT_NE(error.line().find(":2:"), std::string::npos) << error.line();
  }
}

TEST(StartFolder, MovesOlderResultsAside) {
  const TemporaryFolder folder;
  const auto results = folder.path() / "results";
  EXPECT_TRUE(start_folder(results, "T").empty());
  EXPECT_TRUE(start_folder(results, "T").empty()) << "an empty folder is used as it is";
  write_atomic(results / "results.jsonl", "1");
  const auto aside = start_folder(results, "T");
  EXPECT_EQ(read_text(aside / "results.jsonl"), "1");
  write_atomic(results / "results.jsonl", "2");
  EXPECT_NE(start_folder(results, "T"), aside);
}

TEST(ResultRows, HoldNullForNumbersThatAreNotFinite) {
  const TemporaryFolder folder;
  const auto path = folder / "rows.jsonl";
  ResultRows rows = ResultRows::create(path);
  rows.append({{"kind", "isolated_work"}, {"each_s", {1e-6, std::numeric_limits<double>::infinity()}}});
  EXPECT_TRUE(rows.rows().header().at("each_s").at(1).is_null());
  EXPECT_EQ(ResultRows::resume(path).rows(), rows.rows()) << "a resumed run reads the same";
}

TEST(RowList, FindsFirstAndLastOfAKindAndNamesADamagedField) {
  const RowList rows({{{"kind", "half"}, {"x", 1}}, {{"kind", "half"}, {"x", 2}}, {{"kind", "round"}}});
  EXPECT_EQ(rows.first<Half>().value().x, 1);
  EXPECT_EQ(rows.last<Half>().value().x, 2);
  EXPECT_FALSE(rows.first<Other>());
  try {
    RowList(std::vector<nlohmann::json>{{{"kind", "half"}, {"x", "one"}}}).first<Half>();
    FAIL() << "a damaged row was taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "results.jsonl: a row is damaged: half.x: not a number");
  }
}

}  // namespace
}  // namespace kjoule
