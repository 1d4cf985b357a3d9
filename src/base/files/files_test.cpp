#include "base/files/files.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <limits>
#include <thread>

#include "base/error.hpp"
#include "base/json/finite_json.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

namespace fs = std::filesystem;

template <class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

size_t files_in(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ReadText, NamesWhatIsWrong) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { read_text(folder / "none"); }), (folder / "none").string() + ": no such file");
  EXPECT_EQ(error_of([&] { read_text(folder.path()); }), folder.path().string() + ": is a folder");
}

RC_GTEST_PROP(WriteAtomic, KeepsEveryByteAndLeavesNothingElse,
              (const std::string& first, const std::string& second)) {
  const TemporaryFolder folder;
  write_atomic(folder / "a.txt", first);
  RC_ASSERT(read_text(folder / "a.txt") == first);
  write_atomic(folder / "a.txt", second);
  RC_ASSERT(read_text(folder / "a.txt") == second);
  RC_ASSERT(files_in(folder.path()) == 1U);
}

TEST(WriteAtomic, ReadersSeeTheOldOrTheNewText) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.txt";
  const std::string old_text(100'000, 'o');
  const std::string new_text(150'000, 'n');
  write_atomic(path, old_text);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) write_atomic(path, i % 2 == 0 ? new_text : old_text);
  });
  int torn = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string seen = read_text(path);
    if (seen != old_text && seen != new_text) ++torn;
  }
  stop = true;
  writer.join();
  EXPECT_EQ(torn, 0);
}

TEST(WriteAtomic, MakesFilesThatOthersMayRead) {
  const TemporaryFolder folder;
  const mode_t before = umask(022);
  write_atomic(folder / "a", "x");
  umask(before);
  EXPECT_EQ(fs::status(folder / "a").permissions(), fs::perms(0644));
}

TEST(MakeFolder, MakesAllOrSaysWhyNot) {
  const TemporaryFolder folder;
  make_folder(folder / "a/b");
  make_folder(folder / "a/b");
  EXPECT_TRUE(fs::is_directory(folder / "a/b"));
  write_atomic(folder / "file", "x");
  const std::string inside = (folder / "file/c").string();
  EXPECT_EQ(error_of([&] { make_folder(inside); }),
            inside + ": the folder cannot be created: Not a directory");
}

TEST(WriteAtomic, NamesWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string inside = (folder / "none/a").string();
  EXPECT_EQ(error_of([&] { write_atomic(inside, "x"); }), inside + ": cannot be written: no such folder");
  const std::string file = (folder / "file").string();
  write_atomic(file, "x");
  EXPECT_EQ(error_of([&] { write_atomic(file + "/a", "x"); }),
            file + "/a: cannot be written: " + file + " is not a folder");
  EXPECT_EQ(error_of([&] { write_atomic(folder.path(), "x"); }), folder.path().string() + ": is a folder");
  if (geteuid() != 0) {  // root may write anywhere
    fs::permissions(folder.path(), fs::perms(0500));
    EXPECT_NE(error_of([&] { write_atomic(folder / "a", "x"); }).find("not permitted"), std::string::npos);
    fs::permissions(folder.path(), fs::perms(0700));
  }
}

std::string json_error(const std::string& text) {
  const TemporaryFolder folder;
  write_atomic(folder / "results.json", text);
  std::string error = error_of([&] { read_json(folder / "results.json"); });
  return error.replace(0, folder.path().string().size() + 1, "");
}

TEST(ReadJson, NamesTheLineOfAnError) {
  EXPECT_TRUE(json_error("{\n  \"a\": 1,\n  \"b\": ]\n}\n")
                  .starts_with("results.json:3: unexpected ']' in column 8"));
  EXPECT_TRUE(json_error("{\"a\": 1}\nx").starts_with("results.json:2: unexpected 'x' in column 1"));
}

TEST(ReadJson, SaysThatAFileIsTruncated) {
  EXPECT_TRUE(json_error("").starts_with("results.json:1: unexpected end of file"));
  EXPECT_TRUE(json_error("{\n  \"a\": [1,\n   2\n\n").starts_with("results.json:3: unexpected end of file"));
}

TEST(ReadJson, RefusesANumberThatNoDoubleHolds) {
  EXPECT_EQ(json_error("[1e999]"), "results.json: contains a number that is too large");
}

RC_GTEST_PROP(ReadJson, NoProperPrefixOfAFileIsTakenForAll, (const std::vector<std::string>& words)) {
  nlohmann::json value;
  value["words"] = nlohmann::json::array();
  for (const std::string& word : words)
    value["words"].push_back({{"length", word.size() * 1.5}, {"hash", hash_hex(word)}, {"last", true}});
  const std::string text = value.dump(1);
  const auto length = *rc::gen::inRange<size_t>(0, text.size());
  RC_ASSERT(json_error(text.substr(0, length)).find("unexpected end of file") != std::string::npos);
}

TEST(WriteJson, IsPrettyAndEndsWithANewline) {
  const TemporaryFolder folder;
  write_json(folder / "a.json", {{"z", 1}, {"a", {1.5, "x"}}});
  EXPECT_EQ(read_text(folder / "a.json"), "{\n  \"z\": 1,\n  \"a\": [\n    1.5,\n    \"x\"\n  ]\n}\n");
  EXPECT_EQ(read_json(folder / "a.json").at("z"), 1);
}

TEST(WriteJson, WritesNullForNumbersThatAreNotFinite) {
  const TemporaryFolder folder;
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const nlohmann::ordered_json value{{"sum", {{"rows", {1.0, bad}}, {"name", "inf"}}}};
    write_json(folder / "a.json", value);
    const nlohmann::json read = read_json(folder / "a.json");
    EXPECT_EQ(read, nlohmann::json::parse(R"({"sum": {"rows": [1.0, null], "name": "inf"}})"));
    EXPECT_EQ(with_finite_numbers(nlohmann::json(value)), read);
  }
}

std::vector<std::string> lines_of(const fs::path& path, bool& ended) {
  std::vector<std::string> lines;
  read_lines(path, [&](std::string_view line, bool whole) {
    lines.emplace_back(line);
    ended = whole;
  });
  return lines;
}

TEST(ReadLines, TellsALastLineThatWasCutOff) {
  const TemporaryFolder folder;
  bool ended = false;
  write_atomic(folder / "a", "one\r\n\ntwo\n");
  EXPECT_EQ(lines_of(folder / "a", ended), (std::vector<std::string>{"one", "", "two"}));
  EXPECT_TRUE(ended);
  write_atomic(folder / "a", "one\ntw");
  EXPECT_EQ(lines_of(folder / "a", ended), (std::vector<std::string>{"one", "tw"}));
  EXPECT_FALSE(ended);
  write_atomic(folder / "a", "");
  EXPECT_TRUE(lines_of(folder / "a", ended).empty());
  EXPECT_EQ(error_of([&] { lines_of(folder / "none", ended); }),
            (folder / "none").string() + ": no such file");
}

TEST(ReadLines, JoinsWhatBlocksCutAndShortensWhatIsNoLine) {
  const TemporaryFolder folder;
  std::string text;
  std::vector<std::string> wanted;
  for (int i = 0; i < 30'000; ++i) {
    wanted.push_back(std::string(static_cast<size_t>(i % 17), 'x') + std::to_string(i));
    text += wanted.back() + "\n";
  }
  bool ended = false;
  write_atomic(folder / "a", text);
  EXPECT_EQ(lines_of(folder / "a", ended), wanted);
  write_atomic(folder / "a", std::string(300'000, 'x') + "\nlast\n");
  const auto lines = lines_of(folder / "a", ended);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].size(), size_t{1} << 16);
  EXPECT_EQ(lines[1], "last");
}

TEST(Hash, IsTheKnownOneOfXxh3) {
  EXPECT_EQ(hash_hex(""), "2d06800538d394c2");
  EXPECT_EQ(hash_hex("a").size(), 16U);
  EXPECT_NE(hash_hex("a"), hash_hex("b"));
}

TEST(Hash, OfAFileIsThatOfItsText) {
  const TemporaryFolder folder;
  std::string text(300'001, 'x');
  text[65'536] = 'y';
  write_atomic(folder / "a", text);
  EXPECT_EQ(hash_file(folder / "a"), hash_hex(text));
  EXPECT_EQ(error_of([&] { hash_file(folder / "none"); }), (folder / "none").string() + ": no such file");
}

}  // namespace
}  // namespace kjoule
