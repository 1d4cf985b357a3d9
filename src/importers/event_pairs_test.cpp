#include "importers/event_pairs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kjoule {
namespace {

EventEdge begin_of(std::string_view name, int64_t at_ns, uint32_t lane = 0) {
  return {lane, false, at_ns, nullptr, name};
}
EventEdge end_of(std::string_view name, int64_t at_ns, uint32_t lane = 0) {
  return {lane, true, at_ns, nullptr, name};
}

/// Returns the pairs as "name begin..end", in the order of their begins, and the begins without an end.
std::string paired(std::vector<EventEdge> edges) {
  const EventPairs found = pair_events(edges);
  std::string text;
  for (const auto& [begin, end] : found.pairs)
    text += fmt::format("{} {}..{} ", edges[begin].name, edges[begin].at_ns, edges[end].at_ns);
  for (const size_t begin : found.without_end) text += fmt::format("{} open ", edges[begin].name);
  return text;
}

TEST(EventPairs, EndsBelongToTheLatestBegin) {
  EXPECT_EQ(paired({begin_of("a", 1), begin_of("b", 2), end_of("", 3), end_of("", 4)}), "a 1..4 b 2..3 ");
}

TEST(EventPairs, NamesDecideWhereTimesAreEqual) {
  // sorted by phase: the next begin precedes the end of the work before it
  EXPECT_EQ(paired({begin_of("a", 1), begin_of("b", 5), end_of("a", 5), end_of("b", 9)}), "a 1..5 b 5..9 ");
}

TEST(EventPairs, EachLaneHasItsOwnPairs) {
  EXPECT_EQ(paired({begin_of("a", 1, 0), begin_of("b", 2, 1), end_of("", 3, 0), end_of("", 4, 1)}),
            "a 1..3 b 2..4 ");
}

TEST(EventPairs, TheOrderInTheFileDoesNotMatter) {
  EXPECT_EQ(paired({end_of("", 4), end_of("", 2), begin_of("b", 3), begin_of("a", 1)}), "a 1..2 b 3..4 ");
}

TEST(EventPairs, UnmatchedEventsFormNoPairs) {
  EXPECT_EQ(paired({end_of("x", 1), begin_of("a", 2), end_of("y", 3)}), "a open ");
  EXPECT_EQ(paired({begin_of("a", 2), begin_of("b", 1, 1)}), "a open b open ");
  EXPECT_EQ(paired({}), "");
}

}  // namespace
}  // namespace kjoule
