#include "recording/launch_match.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

Launch launch(const std::string& name, int stream = 0, Tier tier = Tier::framework) {
  return {name, tier, name, {{"stream", stream}}};
}

Activity activity(const std::string& name, uint64_t stream, int64_t begin_ns,
                  ActivityKind kind = ActivityKind::kernel) {
  return {kind, name, stream, begin_ns, begin_ns + 5};
}

using Launches = std::vector<std::optional<LaunchIndex>>;

TEST(LaunchesOf, FollowsEachStreamsOrderWhateverTheStreamsAreCalled) {
  const Recording recording{{}, {}, {launch("a"), launch("b", 1), launch("a", 1), launch("c"), launch("a")}};
  // stream 1 is the device's 9 and runs before the other
  const std::vector<Activity> activities{activity("b", 9, 10), activity("a", 9, 20), activity("a", 4, 30),
                                         activity("c", 4, 40), activity("a", 4, 50)};
  EXPECT_EQ(launches_of(recording, activities), (Launches{1, 2, 0, 3, 4}));
}

TEST(LaunchesOf, PassesOverWhatTheOtherSideLacks) {
  const Recording recording{{}, {}, {launch("a"), launch("b"), launch("a"), launch("c")}};
  EXPECT_EQ(launches_of(recording, {activity("a", 7, 1), activity("b", 7, 2), activity("c", 7, 3)}),
            (Launches{0, 1, 3}));
  EXPECT_EQ(launches_of(recording, {activity("a", 7, 1), activity("b", 7, 2), activity("other", 7, 3),
                                    activity("a", 7, 4), activity("c", 7, 5)}),
            (Launches{0, 1, std::nullopt, 2, 3}));
  EXPECT_EQ(launches_of({}, {activity("a", 7, 1)}), Launches{std::nullopt});
}

TEST(LaunchesOf, FindsNodesOfGraphsOnStreamsOfTheirOwn) {
  const Recording recording{{}, {}, {launch("a"), launch("b"), launch("c"), launch("b")}};
  EXPECT_EQ(launches_of(recording, {activity("a", 7, 1), activity("c", 7, 3), activity("b", 21, 2),
                                    activity("b", 22, 4)}),
            (Launches{0, 2, 1, 3}));
}

TEST(LaunchesOf, KnowsCopiesByTheirKindAndKernelsByTheirReadableNames) {
  const Recording recording{{},
                            {},
                            {launch("memcpy HtoD", 0, Tier::cuda_runtime), launch("f(int)"),
                             launch("memset", 0, Tier::cuda_runtime)}};
  EXPECT_EQ(launches_of(recording, {activity("", 7, 1, ActivityKind::memcpy), activity("_Z1fi", 7, 2),
                                    activity("", 7, 3, ActivityKind::memset)}),
            (Launches{0, 1, 2}));
}

}  // namespace
}  // namespace kjoule
