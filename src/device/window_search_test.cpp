#include "device/window_search.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

TEST(ExpectedWindows, AreWrittenAndRead) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "windows.json";
  WindowPlace place = WindowPlace::around({1000, 1200});
  place.after = {{7, false, 2}};
  const ExpectedWindows windows{{{1, {{3, true, 1}}, {{UINT64_MAX, false, 1}}, UINT64_MAX}}, {place}};
  write_windows(file, windows);
  EXPECT_EQ(read_windows(file), windows);
}

TEST(ExpectedWindows, AnotherFileIsRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "windows.json";
  for (const char* text : {"[]", "{}", "{\"phases\": 3, \"places\": []}", "no json"}) {
    write_atomic(file, text);
    EXPECT_THROW(read_windows(file), Error) << text;
  }
}

TEST(WindowPlace, AroundGivenLaunchesThereAreEdges) {
  const WindowPlace place = WindowPlace::around({1000, 1200});
  EXPECT_EQ(place.lead_first, 936U);
  EXPECT_FALSE(place.may_begin(63, true));
  EXPECT_TRUE(place.may_begin(64, false));
  EXPECT_FALSE(place.may_end(199, true));
  EXPECT_TRUE(place.may_end(200, false));
}

TEST(WindowPlace, AWaitOfTheHostIsPreferred) {
  WindowPlace place;
  place.least = 100;
  place.most = 200;
  EXPECT_FALSE(place.may_begin(WindowPlace::kEdge, false));
  EXPECT_TRUE(place.may_begin(WindowPlace::kEdge, true));
  EXPECT_TRUE(place.may_begin(WindowPlace::kLongestLead * WindowPlace::kEdge, false));
  EXPECT_FALSE(place.may_end(150, false));
  EXPECT_TRUE(place.may_end(150, true));
  EXPECT_TRUE(place.may_end(200, false));
}

}  // namespace
}  // namespace kjoule
