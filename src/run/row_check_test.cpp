#include "run/row_check.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "run/watched_ranks.hpp"

namespace kjoule {
namespace {

/// Rows of a run with two kernels, as kjoule writes them.
std::vector<nlohmann::json> good_rows() {
  return {
      {{"kind", "run"},
       {"command", "isolated"},
       {"title", "t"},
       {"program", {{"a", 1}}},
       {"device", {{"b", 2}}}},
      {{"kind", "recording"}, {"fingerprint", "00"}, {"launches", 3}, {"kernels", 2}},
      {{"kind", "isolated"}, {"kernel", 0}, {"runs", 9}, {"single_s", 1e-6}, {"begin_ns", 5}, {"end_ns", 8}},
      {{"kind", "isolated"}, {"kernel", 1}, {"runs", 9}, {"single_s", 1e-6}, {"begin_ns", 8}, {"end_ns", 9}}};
}

/// Returns the error of checking these rows after the change; empty if they are accepted.
std::string error_after(const std::function<void(std::vector<nlohmann::json>&)>& change) {
  std::vector<nlohmann::json> rows = good_rows();
  change(rows);
  try {
    check_rows(RowList(rows), "rows.jsonl");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(CheckRows, AcceptsWhatARunWrites) {
  EXPECT_EQ(error_after([](auto&) {}), "");
  EXPECT_EQ(error_after([](auto& rows) { rows.pop_back(); }), "") << "a killed run has fewer";
}

TEST(CheckRows, NamesLineAndField) {
  EXPECT_EQ(error_after([](auto& rows) { rows[3]["kernel"] = 2; }),
            "rows.jsonl:4: this row is damaged: kernel: 2, but there are 2 kernels");
  EXPECT_EQ(error_after([](auto& rows) { rows.erase(rows.begin() + 2); }),
            "rows.jsonl:3: this row is damaged: kernel: 1 instead of 0");
  EXPECT_EQ(error_after([](auto& rows) { rows[2].erase("kernel"); }),
            "rows.jsonl:3: this row is damaged: isolated.kernel: missing");
  EXPECT_EQ(error_after([](auto& rows) { rows[2]["kernel"] = "0"; }),
            "rows.jsonl:3: this row is damaged: isolated.kernel: not a whole number in the allowed range");
  EXPECT_EQ(error_after([](auto& rows) { rows[2]["single_s"] = -1e-6; }),
            "rows.jsonl:3: this row is damaged: single_s is -1e-06 s, which is not from 1e-09 to 1e+08 s");
  EXPECT_EQ(error_after([](auto& rows) { rows[2]["end_ns"] = 4; }),
            "rows.jsonl:3: this row is damaged: end_ns: before begin_ns");
  EXPECT_EQ(error_after([](auto& rows) { rows[2]["kind"] = "isolatee"; }),
            "rows.jsonl:3: this row is damaged: isolatee: no known kind of row");
  EXPECT_EQ(error_after([](auto& rows) { rows.insert(rows.begin() + 1, rows[1]); }),
            "rows.jsonl:3: this row is damaged: a second row of this kind");
  EXPECT_EQ(error_after([](auto& rows) { rows.erase(rows.begin() + 1); }),
            "rows.jsonl:2: this row is damaged: comes before the recording row");
  EXPECT_EQ(error_after([](auto& rows) { rows.erase(rows.begin()); }),
            "rows.jsonl:1: this row is damaged: not the first row of a run");
}

TEST(CheckRows, RefusesNumbersThatWereNotMeasured) {
  const auto put = [](const char* field, const nlohmann::json& value) {
    return error_after([&](auto& rows) { rows[2][field] = value; });
  };
  const std::string damaged = "rows.jsonl:3: this row is damaged: ";
  EXPECT_EQ(put("single_s", 1e9), damaged + "single_s is 1e+09 s, which is not from 0 to 1e+08 s");
  EXPECT_EQ(put("single_s", 1), damaged + "single_s: 9 s of work in 3e-09 s");
  EXPECT_EQ(put("note", {{"mean_w", {1.0, -2e9}}}),
            damaged + "mean_w is 2e+09 W, which is not from 0 to 1e+09 W");
  EXPECT_EQ(put("note", {{"each_j", {{"value", 1e13}, {"half_width", nullptr}}}}),
            damaged + "value is 1e+13 J, which is not from 0 to 1e+12 J");
  EXPECT_EQ(put("note", {{"mean_ns", {1e18}}}),
            damaged + "mean_ns is 1e+18 ns, which is not from 0 to 1e+17 ns");
  EXPECT_EQ(put("note", {{"clock_hz", 1e13}}),
            damaged + "clock_hz is 1e+13 Hz, which is not from 0 to 1e+12 Hz");
  EXPECT_EQ(put("note", {{"time_s", {-1e-6, 1e8}}, {"cells", 1e300}}), "");
  EXPECT_EQ(put("note", {{"byte_per_s", 3e12}}), "") << "a rate";
}

TEST(CheckRows, ChecksWhatRanksDidInTheProgram) {
  WatchedRanks watched;
  watched.ranks.resize(2);
  watched.path.parts_s.resize(PathSums::kParts);
  watched.path.ranks_s.resize(2);
  watched.collectives.push_back({"ncclAllReduce", communicator_text(7), 8, {Interval{1e-6, 1e-7}, {}}});
  const auto error_of = [](const WatchedRanks& row) {
    return error_after([&](auto& rows) {
      nlohmann::json json = write_fields(row);
      json["kind"] = WatchedRanks::kKind;
      rows.push_back(std::move(json));
    });
  };
  EXPECT_EQ(error_of(watched), "");
  WatchedRanks wrong = watched;
  wrong.path.ranks_s.pop_back();
  EXPECT_EQ(error_of(wrong), "rows.jsonl:5: this row is damaged: path: not one time for each rank");
  wrong = watched;
  wrong.path.parts_s.clear();
  EXPECT_EQ(error_of(wrong), "rows.jsonl:5: this row is damaged: path: not one time for each of its parts");
  wrong = watched;
  wrong.collectives[0].waiting_s.pop_back();
  EXPECT_EQ(error_of(wrong), "rows.jsonl:5: this row is damaged: collectives: not one waiting for each rank");
  EXPECT_EQ(error_of({}),
            "rows.jsonl:5: this row is damaged: ranks, error: not exactly one of them is given");
}

TEST(RowSeal, FindsRowsThatWereChangedMovedOrRemoved) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  {
    ResultRows rows = ResultRows::create(path);
    for (int i = 0; i < 4; ++i) rows.append({{"kind", "half"}, {"x", i}});
  }
  const std::string whole = read_text(path);
  const size_t size = whole.size() / 4;
  const auto line = [&](size_t number) { return whole.substr(number * size, size); };
  EXPECT_EQ(ResultRows::resume(path).rows().list().size(), 4U);
  EXPECT_FALSE(ResultRows::resume(path).rows().header().contains("checksum"));
  for (const std::string& changed :
       {line(0) + line(2) + line(3), line(1) + line(2), line(0) + line(2) + line(1) + line(3),
        line(0) + line(1) + line(1), line(0) + "{\"kind\":\"half\",\"x\":1}\n"}) {
    write_atomic(path, changed);
    EXPECT_THROW(ResultRows::resume(path), Error) << changed;
  }
  size_t found = 0, bits = 0;
  for (size_t at = 0; at + 1 < size; ++at)
    for (int bit = 0; bit < 8; ++bit, ++bits) {
      std::string changed = whole;
      changed[size + at] = static_cast<char>(changed[size + at] ^ (1 << bit));
      write_atomic(path, changed);
      try {
        ResultRows::resume(path);
      } catch (const Error&) {
        ++found;
      }
    }
  EXPECT_EQ(found, bits);
}

TEST(RowSeal, LaterRowsFollowThoseOfAResumedFile) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  ResultRows::create(path).append({{"kind", "half"}});
  ResultRows::resume(path).append({{"kind", "other"}});
  EXPECT_EQ(ResultRows::resume(path).rows().list().size(), 2U);
  EXPECT_EQ(ResultRows::read(path), ResultRows::resume(path).rows());
}

TEST(ResultRows, AreReadWhileTheyAreWritten) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  ResultRows::create(path).append({{"kind", "half"}});
  const std::string half = read_text(path) + "{\"kind\":";
  write_atomic(path, half);
  EXPECT_EQ(ResultRows::read(path).list().size(), 1U);
  EXPECT_EQ(read_text(path), half) << "the writer is not done";
}

TEST(CheckRows, FirstRunsOfLayersAreInOrder) {
  const std::vector<nlohmann::json> rows{
      {{"kind", "first_runs"}, {"command", "layers"}, {"program", {{"a", 1}}}},
      {{"kind", "roof"}, {"error", "no GPU"}},
      {{"kind", "first_run"}, {"layer", 0}, {"name", "conv1"}, {"seconds", 0.5}},
      {{"kind", "first_run"}, {"layer", 1}, {"name", "fc"}, {"error", "no memory"}}};
  check_rows(RowList(rows), "rows.jsonl");
  const auto error = [](const std::vector<nlohmann::json>& changed) -> std::string {
    try {
      check_rows(RowList(changed), "rows.jsonl");
      return "";
    } catch (const Error& refused) {
      return refused.what();
    }
  };
  EXPECT_EQ(error({rows[0], rows[3]}), "rows.jsonl:2: this row is damaged: layer: 1 instead of 0");
  EXPECT_EQ(error({rows[2]}), "rows.jsonl:1: this row is damaged: not the first row of a run");
  nlohmann::json both = rows[2];
  both["error"] = "no memory";
  EXPECT_EQ(error({rows[0], both}),
            "rows.jsonl:2: this row is damaged: seconds, error: not exactly one of them is given");
}

}  // namespace
}  // namespace kjoule
