#include "run/rows.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"

namespace kjoule {
namespace {

TEST(ResultRows, KeepsWhatAKilledRunFinishedAndDropsTheTornLine) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  {
    ResultRows rows = ResultRows::create(path);
    rows.append({{"kind", "run"}});
    rows.append({{"kind", "round"}, {"x", 0.1}});
  }
  const std::string whole = read_text(path);
  write_atomic(path, whole + "{\"kind\":\"rou");
  ResultRows rows = ResultRows::resume(path);
  ASSERT_EQ(rows.rows().size(), 2u);
  EXPECT_EQ(read_text(path), whole);
  rows.append({{"kind", "round"}, {"x", 0.2}});
  EXPECT_EQ(ResultRows::resume(path).rows().size(), 3u);
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
  rows.append({{"kind", "alone"}, {"each_s", {1e-6, std::numeric_limits<double>::infinity()}}});
  EXPECT_TRUE(rows.rows().front().at("each_s").at(1).is_null());
  EXPECT_EQ(ResultRows::resume(path).rows(), rows.rows()) << "a resumed run reads the same";
}

TEST(FindLastRow, FindsTheLastOfItsKind) {
  const std::vector<nlohmann::json> rows{{{"kind", "stopped"}, {"by", "time limit"}},
                                         {{"kind", "stopped"}, {"by", "precision"}},
                                         {{"kind", "round"}}};
  EXPECT_EQ(find_last_row(rows, "stopped")->at("by"), "precision");
  EXPECT_EQ(find_last_row(rows, "plan"), nullptr);
}

TEST(StartFolder, TouchesNothingThatIsNoResults) {
  const TemporaryFolder folder;
  write_atomic(folder / "letter", "dear");
  EXPECT_THROW(start_folder(folder / "letter", "T"), Error);
  EXPECT_THROW(start_folder(folder.path(), "T"), Error);
  EXPECT_EQ(read_text(folder / "letter"), "dear");
}

}  // namespace
}  // namespace kjoule
