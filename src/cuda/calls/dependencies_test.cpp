#include "cuda/calls/dependencies.hpp"

#include <gtest/gtest.h>

namespace kjoule::cuda {
namespace {

using Numbers = std::vector<uint32_t>;
constexpr auto kBlocking = StreamKind::blocking;
constexpr auto kFree = StreamKind::non_blocking;

const int places[4]{};
const void* const kDefault = nullptr;
const void* const kA = &places[0];
const void* const kB = &places[1];
const void* const kEvent = &places[2];

TEST(Dependencies, ALaunchWaitsForTheOneBeforeItOnItsStream) {
  Dependencies program;
  EXPECT_EQ(program.add_launch(0, kA, kFree), Numbers{});
  EXPECT_EQ(program.add_launch(1, kB, kFree), Numbers{});
  EXPECT_EQ(program.add_launch(2, kA, kFree), Numbers{0});
  EXPECT_EQ(program.add_launch(3, kB, kFree), Numbers{1});
}

TEST(Dependencies, AnEventCarriesWhatItsStreamHadDone) {
  Dependencies program;
  program.add_launch(0, kA, kFree);
  program.record_event(kEvent, kA, kFree);
  program.add_launch(1, kA, kFree);
  program.add_launch(2, kB, kFree);
  program.wait_for_event(kB, kFree, kEvent);
  EXPECT_EQ(program.add_launch(3, kB, kFree), (Numbers{0, 2}));
  EXPECT_EQ(program.add_launch(4, kB, kFree), Numbers{3});
}

TEST(Dependencies, TheDefaultStreamJoinsBlockingStreamsOnly) {
  Dependencies program;
  program.add_launch(0, kA, kBlocking);
  program.add_launch(1, kB, kFree);
  EXPECT_EQ(program.add_launch(2, kDefault, StreamKind::legacy), Numbers{0});
  EXPECT_EQ(program.add_launch(3, kA, kBlocking), (Numbers{0, 2}));
  EXPECT_EQ(program.add_launch(4, kB, kFree), Numbers{1});
}

TEST(Dependencies, AGraphBeginsAfterItsStreamAndTheStreamGoesOnAfterItsLeaves) {
  Dependencies program;
  program.add_launch(0, kA, kFree);
  const auto after = program.add_graph(1, {{}, {0}, {0}, {}}, kA, kFree);
  EXPECT_EQ(after, (std::vector<Numbers>{{0}, {1}, {1}, {0}}));
  EXPECT_EQ(program.add_launch(5, kA, kFree), (Numbers{2, 3, 4}));
}

TEST(Dependencies, WhatWasRecordedBeforeDoesNotCount) {
  Dependencies program;
  program.record_event(kEvent, kA, kFree);
  program.wait_for_event(kB, kFree, kEvent);
  program.wait_for_event(kA, kFree, &places[3]);
  EXPECT_EQ(program.add_launch(0, kB, kFree), Numbers{});
}

TEST(Dependencies, AnEventOfTheDefaultStreamCarriesTheWorkOfBlockingStreams) {
  Dependencies program;
  program.add_launch(0, kA, kBlocking);
  program.add_launch(1, kB, kFree);
  program.record_event(kEvent, kDefault, StreamKind::legacy);
  program.wait_for_event(kB, kFree, kEvent);
  EXPECT_EQ(program.add_launch(2, kB, kFree), (Numbers{0, 1}));
}

TEST(Dependencies, AnEventOfABlockingStreamCarriesTheWorkOfTheDefaultStream) {
  Dependencies program;
  program.add_launch(0, kDefault, StreamKind::legacy);
  program.record_event(kEvent, kA, kBlocking);
  program.wait_for_event(kB, kFree, kEvent);
  EXPECT_EQ(program.add_launch(1, kB, kFree), Numbers{0});
}

TEST(Dependencies, AStreamThatOnlyWaitsForAnEventHasItsOwnKind) {
  Dependencies program;
  program.add_launch(0, kA, kFree);
  program.record_event(kEvent, kA, kFree);
  program.wait_for_event(kB, kFree, kEvent);
  EXPECT_EQ(program.add_launch(1, kDefault, StreamKind::legacy), Numbers{}) << "neither stream is blocking";
}

TEST(Dependencies, BlockingStreamsWaitForAnEventForWhichTheDefaultStreamWaits) {
  Dependencies program;
  program.add_launch(0, kA, kFree);
  program.record_event(kEvent, kA, kFree);
  program.add_launch(1, kB, kBlocking);
  program.wait_for_event(kDefault, StreamKind::legacy, kEvent);
  EXPECT_EQ(program.add_launch(2, kB, kBlocking), (Numbers{0, 1}));
}

TEST(Dependencies, WorkThatTheHostHasAwaitedPrecedesWhatItLaunchesIntoAnyStream) {
  Dependencies program;
  program.add_launch(0, kA, kFree);
  program.add_launch(1, kB, kFree);
  program.host_waits_for_stream(kA, kFree);
  EXPECT_EQ(program.add_launch(2, kB, kFree), (Numbers{0, 1}));
  EXPECT_EQ(program.add_launch(3, kB, kFree), Numbers{2}) << "already in order by the launch before";
  EXPECT_EQ(program.add_launch(4, &places[3], kFree), Numbers{0}) << "a stream that was not used before";
}

TEST(Dependencies, TheHostMayWaitForAllStreamsOrForAnEvent) {
  Dependencies program;
  program.add_launch(0, kA, kFree);
  program.record_event(kEvent, kA, kFree);
  program.add_launch(1, kA, kFree);
  program.add_launch(2, kB, kFree);
  program.host_waits_for_event(kEvent);
  EXPECT_EQ(program.add_launch(3, kB, kFree), (Numbers{0, 2}));
  program.host_waits_for_all();
  program.host_waits_for_event(kEvent);  // it was complete before
  EXPECT_EQ(program.add_launch(4, &places[3], kFree), (Numbers{1, 3}));
}

TEST(MayOverlap, OnlyWhatDoesNotWaitForItsPredecessor) {
  EXPECT_FALSE(may_overlap({{}, {0}, {0, 1}}));
  EXPECT_TRUE(may_overlap({{}, {0}, {0}}));
}

}  // namespace
}  // namespace kjoule::cuda
