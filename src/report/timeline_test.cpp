#include "report/timeline.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/error.hpp"
#include "report/timeline_pieces.hpp"

namespace kjoule {
namespace {

TimelineBar bar(size_t kernel, uint64_t stream, int64_t begin_ns, int64_t end_ns,
                const std::string& name = "k") {
  TimelineBar bar;
  bar.activity = {ActivityKind::kernel, name, stream, begin_ns, end_ns};
  bar.kernel = kernel;
  bar.tier = Tier::framework;
  return bar;
}

TEST(SequentialTimeline, LaunchesFollowOneAnotherWithoutGaps) {
  Recording recording;
  for (const char* name : {"aten::mm", "aten::add", "aten::mm"}) {
    Launch& launch = recording.launches.emplace_back();
    launch.name = launch.signature = name;
    launch.tier = Tier::framework;
  }
  const Timeline timeline = sequential_timeline("model", recording, {2e-6, 0, 3.5e-6});
  ASSERT_EQ(timeline.bars.size(), 2u) << "the launch without a time is left out";
  EXPECT_EQ(timeline.bars[0].activity.begin_ns, 0);
  EXPECT_EQ(timeline.bars[1].activity.begin_ns, 2000);
  EXPECT_EQ(timeline.bars[1].activity.end_ns, 5500);
  EXPECT_EQ(timeline.bars[1].kernel, timeline.bars[0].kernel);
  EXPECT_THROW(sequential_timeline("model", recording, {0, 0, 0}), Error);
}

/// On each stream one after the other, `count` of them.
Timeline layered(size_t count, uint64_t streams, int64_t gap_ns) {
  Timeline timeline{"model & <shape>", {}};
  int64_t now_ns = 1'700'000'000'000;
  for (size_t i = 0; i < count; ++i) {
    const int64_t duration_ns = 400 + 300 * static_cast<int64_t>(i % 17);
    timeline.bars.push_back(bar(i % 17, 7 + i % streams, now_ns, now_ns + duration_ns,
                                fmt::format("void kernel_{}<float, 4>(char const*, \"x\" & y)", i % 17)));
    now_ns += duration_ns + gap_ns;
  }
  return timeline;
}

/// Names of the elements of an XML text; throws when it is not well-formed. Enough XML for what is written
/// here.
std::vector<std::string> elements(const std::string& xml) {
  static const std::regex attribute(R"re(\s+[a-z-]+[0-9A-Za-z]*="[^"<>]*")re");
  std::vector<std::string> open, seen;
  for (size_t at = 0; at < xml.size();) {
    if (xml[at] != '<') {
      const size_t next = std::min(xml.find('<', at), xml.size());
      const std::string text =
          std::regex_replace(xml.substr(at, next - at), std::regex("&(amp|lt|gt|quot);"), "");
      if (text.find_first_of("&>") != std::string::npos) throw std::runtime_error("unescaped: " + text);
      if (open.empty() && text.find_first_not_of(" \n") != std::string::npos)
        throw std::runtime_error("outside");
      at = next;
      continue;
    }
    const size_t end = xml.find('>', at);
    if (end == std::string::npos) throw std::runtime_error("tag without end");
    std::string tag = xml.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) throw std::runtime_error("not open: " + tag);
      open.pop_back();
      continue;
    }
    const bool closed = tag.back() == '/';
    if (closed) tag.pop_back();
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (!std::regex_replace(tag.substr(name.size()), attribute, "").empty())
      throw std::runtime_error("attributes of " + tag);
    seen.push_back(name);
    if (!closed) open.push_back(name);
  }
  if (!open.empty()) throw std::runtime_error("not closed: " + open.back());
  return seen;
}

TEST(TimelineChrome, HasEveryLaunchWithItsTimeAndStream) {
  const Timeline timeline = layered(200, 3, 500);
  const auto json = nlohmann::json::parse(timeline_chrome(timeline));
  double sum_us = 0;
  size_t launches = 0;
  std::map<size_t, std::string> threads;
  for (const auto& event : json.at("traceEvents")) {
    if (event.at("name") == "thread_name") threads[event.at("tid")] = event.at("args").at("name");
    if (event.at("ph") != "X") continue;
    ++launches;
    sum_us += event.at("dur").get<double>();
    EXPECT_GE(event.at("ts").get<double>(), 0);
    const size_t kernel = event.at("args").at("kernel");
    EXPECT_EQ(event.at("name"), fmt::format("void kernel_{}<float, 4>(char const*, \"x\" & y)", kernel));
    EXPECT_EQ(event.at("args").at("count"), kernel < 200 % 17 ? 12 : 11);
    EXPECT_EQ(event.at("args").at("tier"), "tier3_libtorch");
    EXPECT_TRUE(threads.contains(event.at("tid")));
  }
  double expected_us = 0;
  for (const TimelineBar& b : timeline.bars)
    expected_us += static_cast<double>(b.activity.duration_ns()) / 1000;
  EXPECT_EQ(launches, 200u);
  EXPECT_NEAR(sum_us, expected_us, 1e-6);
  EXPECT_EQ(threads, (std::map<size_t, std::string>{{1, "stream 7"}, {2, "stream 8"}, {3, "stream 9"}}));
}

TEST(TimelineChrome, GivesOverlapsOnOneStreamRowsOfTheirOwn) {
  const Timeline timeline{"t", {bar(0, 5, 100, 200), bar(1, 5, 190, 300), bar(2, 5, 200, 250)}};
  const auto json = nlohmann::json::parse(timeline_chrome(timeline));
  std::map<std::string, int> names;
  for (const auto& event : json.at("traceEvents"))
    if (event.at("name") == "thread_name") ++names[event.at("args").at("name")];
  EXPECT_EQ(names, (std::map<std::string, int>{{"stream 5", 1}, {"stream 5 (2)", 1}}));
  EXPECT_TRUE(nlohmann::json::accept(timeline_chrome({"empty", {}})));
}

TEST(TimelineSvg, IsWellFormedForAllSortsOfPrograms) {
  for (const Timeline& timeline :
       {layered(1, 1, 0), layered(614, 1, 300), layered(4000, 2, 12'000), layered(300, 90, 0),
        Timeline{"\xff bad \x01 \"title\" ]]>", {bar(0, 1, 5, 6, "")}},
        Timeline{"no time", {bar(0, 1, 5, 5)}}}) {
    const std::string svg = timeline_svg(timeline);
    ASSERT_NO_THROW(elements(svg)) << timeline.bars.size();
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
    EXPECT_TRUE(nlohmann::json::accept(timeline_chrome(timeline)));
  }
}

TEST(TimelineSvg, SaysWhatThereIs) {
  const std::string svg = timeline_svg(layered(614, 2, 300));
  for (const char* part :
       {"model &amp; &lt;shape&gt;", "stream 7", "stream 8", "614 launches of 17 kernels on 2 streams",
        "7 other kernels", "kernel_16&lt;float, 4&gt;", "time in us"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  std::set<std::string> colours;
  const std::regex legend("<g font-size=\"11\"><rect [^>]*fill=\"(#[0-9a-f]+)\"");
  for (std::sregex_iterator i(svg.begin(), svg.end(), legend), end; i != end; ++i) colours.insert((*i)[1]);
  EXPECT_EQ(colours.size(), 11u) << "ten kernels and the rest";
}

TEST(TimelineSvg, TellsKernelsOfOneNameApart) {
  const std::string svg = timeline_svg({"t", {bar(3, 1, 0, 50, "gemm"), bar(8, 1, 50, 80, "gemm")}});
  EXPECT_NE(svg.find("gemm (kernel 3)"), std::string::npos);
  EXPECT_NE(svg.find("gemm (kernel 8)"), std::string::npos);
}

/// What a reader measures with a ruler: area in proportion to time, bars joined or not.
TEST(TimelineSvg, DrawsEachKernelsTimeAsItsArea) {
  const Timeline timeline = layered(2000, 1, 100);
  const std::string svg = timeline_svg(timeline);
  std::map<std::string, double> area, ns;
  double area_sum = 0, ns_sum = 0;
  const std::regex drawn(
      "<rect x=\"[0-9.]+\" y=\"[0-9.]+\" width=\"([0-9.]+)\" height=\"([0-9.]+)\" fill=\"(#[0-9a-f]+)\"/>");
  const size_t lanes_end = svg.find("Kernels with the most time");
  for (std::sregex_iterator i(svg.begin(), svg.begin() + static_cast<std::ptrdiff_t>(lanes_end), drawn), end;
       i != end; ++i) {
    const std::string colour = (*i)[3];
    if (colour == "#f3f5f7") continue;  // the lane itself
    const double here = std::stod((*i)[1]) * std::stod((*i)[2]);
    area[colour] += here;
    area_sum += here;
  }
  ASSERT_EQ(area.size(), 11u);
  std::map<size_t, double> by_kernel;
  for (const TimelineBar& b : timeline.bars) {
    by_kernel[b.kernel] += static_cast<double>(b.activity.duration_ns());
    ns_sum += static_cast<double>(b.activity.duration_ns());
  }
  double coloured_ns = 0;
  for (size_t kernel = 7; kernel < 17; ++kernel) coloured_ns += by_kernel[kernel];
  EXPECT_NEAR(area["#b9bec6"] / area_sum, 1 - coloured_ns / ns_sum, 0.01);
}

RC_GTEST_PROP(TimelinePieces, KeepTheTimeOfEveryBar, ()) {
  Timeline timeline;
  int64_t now_ns = *rc::gen::inRange<int64_t>(1, 100);
  for (size_t i = *rc::gen::inRange<size_t>(1, 80); i-- > 0;) {
    const auto duration_ns = *rc::gen::inRange<int64_t>(0, 40);
    timeline.bars.push_back(bar(*rc::gen::inRange<size_t>(0, 4), 1, now_ns, now_ns + duration_ns));
    now_ns += duration_ns + *rc::gen::inRange<int64_t>(1, 30);
  }
  const auto thin_ns = *rc::gen::inRange<int64_t>(1, 60);
  const auto row_ns = *rc::gen::inRange<int64_t>(1, 2000);
  std::map<size_t, int64_t> expected_ns, found_ns;
  for (const TimelineBar& b : timeline.bars) expected_ns[b.kernel] += b.activity.duration_ns();
  const std::vector<TimelineLane> lanes = timeline_lanes(timeline);
  RC_ASSERT(lanes.size() == 1u);
  for (int64_t from_ns = 0; from_ns <= now_ns; from_ns += row_ns) {
    int64_t last_ns = from_ns;
    for (const TimelinePiece& piece : timeline_pieces(lanes[0], from_ns, from_ns + row_ns, thin_ns)) {
      RC_ASSERT(piece.begin_ns >= last_ns && piece.end_ns <= from_ns + row_ns);
      RC_ASSERT(piece.busy_ns() <= piece.end_ns - piece.begin_ns);
      RC_ASSERT(piece.bars() == 1u || piece.end_ns - piece.begin_ns < 3 * thin_ns);
      last_ns = piece.end_ns;
      for (const TimelinePiece::Part& part : piece.parts) found_ns[part.bar->kernel] += part.ns;
    }
  }
  RC_ASSERT(found_ns == expected_ns);
}

TEST(Timeline, TakesKernelsFromTheRecordingAndNumbersTheRestBehindThem) {
  const auto launch = [](const char* name, const char* signature, Tier tier) {
    return Launch{name, tier, signature, {{"stream", 0}}};
  };
  const Recording recording{{},
                            {},
                            {launch("gemm", "gemm 2", Tier::vendor_library),
                             launch("memcpy DtoD", "memcpy DtoD 8 B", Tier::cuda_runtime),
                             launch("gemm", "gemm 4", Tier::vendor_library)}};
  std::vector<Activity> activities{
      {ActivityKind::kernel, "gemm", 7, 1, 2},  {ActivityKind::memcpy, "", 7, 3, 4},
      {ActivityKind::kernel, "stray", 7, 5, 6}, {ActivityKind::kernel, "gemm", 7, 7, 8},
      {ActivityKind::memset, "", 7, 9, 10},     {ActivityKind::kernel, "stray", 7, 11, 12}};
  const Timeline timeline = make_timeline("t", recording, activities);
  std::vector<size_t> kernels;
  std::vector<std::string> names;
  for (const TimelineBar& b : timeline.bars) {
    kernels.push_back(b.kernel);
    names.push_back(b.activity.name);
  }
  EXPECT_EQ(kernels, (std::vector<size_t>{0, 1, 3, 2, 4, 3}));
  EXPECT_EQ(names, (std::vector<std::string>{"gemm", "memcpy DtoD", "stray", "gemm", "memset", "stray"}));
  EXPECT_EQ(timeline.bars[1].tier, Tier::cuda_runtime);
  EXPECT_EQ(timeline.bars[2].tier, Tier::unknown);
}

TEST(Timeline, IsRecognisedByItsBeginning) {
  for (const char* file : {"t.json", "t.svg"}) {
    const std::string text = timeline_format(file).write(layered(3, 1, 0));
    EXPECT_TRUE(is_timeline_beginning(text.substr(0, kTimelineBeginning))) << text;
  }
  for (const char* other :
       {"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"><path d=\"M0 0h9v9z\"/></svg>\n",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"297mm\" height=\"210mm\" viewBox=\"0 0 297 210\">",
        "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"name\":\"f\"}]}",
        ""})
    EXPECT_FALSE(is_timeline_beginning(other)) << other;
}

TEST(Timeline, RefusesWhatCannotBeDrawn) {
  EXPECT_THROW(timeline_svg({"t", {}}), Error);
  EXPECT_THROW(timeline_svg({"t", {bar(0, 1, 0, 0)}}), Error);
  EXPECT_THROW(timeline_chrome({"t", {bar(0, 1, 9, 3)}}), Error);
  EXPECT_THROW(timeline_format("out.png"), Error);
  EXPECT_EQ(timeline_format("a/out.json").write(layered(3, 1, 0))[0], '{');
  EXPECT_EQ(timeline_format("out.svg").write(layered(3, 1, 0))[0], '<');
}

}  // namespace
}  // namespace kjoule
