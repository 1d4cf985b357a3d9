#include "recording/recording.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

Recording small_recording() {
  Recording recording{{{"file", "m.pt"}}, {{"kind", "cpu"}}, {}};
  for (const char* signature : {"a 1", "b 1", "a 1", "a 2"})
    recording.launches.push_back(
        {std::string(1, signature[0]), Tier::framework, signature, {{"operator", "x"}}});
  return recording;
}

TEST(KernelTable, CountsLaunchesOfOneSignature) {
  const KernelTable table = kernel_table(small_recording());
  ASSERT_EQ(table.kernels.size(), 3u);
  EXPECT_EQ(table.kernels[0].places, (std::vector<LaunchIndex>{0, 2}));
  EXPECT_EQ(table.kernel_of, (std::vector<uint32_t>{0, 1, 0, 2}));
}

TEST(KernelTable, HasOnlyTheMeasuredLaunchesOfAWindow) {
  Recording window = small_recording();
  window.edges = {1, 1};
  const KernelTable table = kernel_table(window);
  ASSERT_EQ(table.kernels.size(), 2u);
  EXPECT_EQ(table.kernels[0].signature, "b 1");
  EXPECT_EQ(table.kernels[1].places, (std::vector<LaunchIndex>{2}));
  EXPECT_EQ(table.kernel_at(0), std::nullopt);
  EXPECT_EQ(table.kernel_at(2), 1u);
  EXPECT_EQ(table.kernel_at(3), std::nullopt);
}

TEST(Recording, KeepsTheEdgesOfAWindow) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "recording.jsonl";
  Recording window = small_recording();
  window.edges = {2, 1};
  write_recording(path, window);
  EXPECT_EQ(read_recording(path).edges, (WindowEdges{2, 1}));
  write_recording(path, small_recording());
  EXPECT_TRUE(read_recording(path).edges.is_closed());
}

TEST(Recording, RefusesEdgesThatLeaveNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "recording.jsonl";
  for (const WindowEdges edges : {WindowEdges{2, 2}, WindowEdges{4, 0}, WindowEdges{0, 1000}}) {
    Recording window = small_recording();
    window.edges = edges;
    write_recording(path, window);
    EXPECT_THROW(read_recording(path), Error) << edges.lead << " " << edges.tail;
  }
}

TEST(Recording, ReadsBackWhatItWrote) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "recording.jsonl";
  write_recording(path, small_recording());
  const Recording back = read_recording(path);
  EXPECT_EQ(first_difference(small_recording(), back), -1);
  EXPECT_EQ(fingerprint(small_recording()), fingerprint(back));
  EXPECT_EQ(back.program, small_recording().program);
  EXPECT_EQ(back.launches[3].detail, small_recording().launches[3].detail);
}

TEST(Recording, NamesTheFirstLaunchThatDiffers) {
  Recording other = small_recording();
  other.launches[1].signature = "c";
  EXPECT_EQ(first_difference(small_recording(), other), 1);
  other = small_recording();
  other.launches.pop_back();
  EXPECT_EQ(first_difference(small_recording(), other), 3);
  EXPECT_NE(fingerprint(small_recording()), fingerprint(other));
}

std::string error_of(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "recording.jsonl";
  write_atomic(path, text);
  try {
    read_recording(path);
  } catch (const Error& error) {
    return error.line();
  }
  return "no error";
}

TEST(Recording, RefusesMalformedFiles) {
  const std::string header =
      R"({"format":"kjoule-recording","version":1,"program":{},"device":{},"launches":1})";
  EXPECT_NE(error_of("").find("empty"), std::string::npos);
  EXPECT_NE(error_of("{\"format\":\"other\"}\n").find("this file is not a recording of kjoule"),
            std::string::npos);
  EXPECT_NE(error_of("{\"format\":\"kjoule-recording\",\"version\":99}\n").find("version 99"),
            std::string::npos);
  EXPECT_NE(error_of(header + "\n").find("contains 0 of 1 launches"), std::string::npos);
  EXPECT_NE(error_of(header + "\n{\"name\":\"a\"").find(":2: not a complete JSON object"), std::string::npos);
  EXPECT_NE(error_of(header + "\n{\"name\":7,\"tier\":3,\"signature\":\"a\"}\n").find("\"name\""),
            std::string::npos);
  EXPECT_NE(
      error_of(header + "\n{\"name\":\"a\",\"tier\":9,\"signature\":\"a\"}\n").find(":2: \"tier\" is 9"),
      std::string::npos);
}

}  // namespace
}  // namespace kjoule
