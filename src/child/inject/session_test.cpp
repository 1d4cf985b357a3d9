#include "session.hpp"

#include <gtest/gtest.h>

#include <map>

namespace kjoule::inject {
namespace {

/// Says what it is told to say from the launch on at which it is told.
class Told final : public IterationFinder {
 public:
  explicit Told(std::map<uint64_t, std::optional<IterationAt>> says) : says_(std::move(says)) {}
  void add(uint64_t, uint64_t, int64_t) override { ++launches_; }
  std::optional<IterationAt> found() const override {
    const auto next = says_.upper_bound(launches_ - 1);
    return next == says_.begin() ? std::nullopt : std::prev(next)->second;
  }
  std::string best_guess() const override { return "none"; }

 private:
  std::map<uint64_t, std::optional<IterationAt>> says_;
  uint64_t launches_ = 0;
};

std::string steps(Session& session, int launches) {
  std::string text;
  for (int i = 0; i < launches; ++i)
    text += ".brae"[static_cast<int>(session.next(1, 1, 1000 * (i + 1)))];
  return text;
}

TEST(Session, RecordsOneIterationFromItsFirstLaunch) {
  Session session(std::make_unique<Told>(std::map<uint64_t, std::optional<IterationAt>>{{5, IterationAt{1, 3}}}), 0);
  EXPECT_EQ(steps(session, 14), ".......brre...");
  EXPECT_EQ(session.launches(), 11u) << "what comes after is not looked at";
}

TEST(Session, LetsIterationsPassAndTimesThem) {
  Session session(std::make_unique<Told>(std::map<uint64_t, std::optional<IterationAt>>{{5, IterationAt{0, 3}}}), 2);
  EXPECT_EQ(steps(session, 18), "............brre..");
  EXPECT_EQ(session.iteration_s(), (std::vector<double>{3e-6, 3e-6}));
}

TEST(Session, AbandonsAnIterationThatCameOtherwise) {
  Session session(std::make_unique<Told>(std::map<uint64_t, std::optional<IterationAt>>{
                      {2, IterationAt{0, 3}}, {4, std::nullopt}, {8, IterationAt{9, 2}}}),
                  0);
  EXPECT_EQ(steps(session, 13), "...ba....bre.");
}

}  // namespace
}  // namespace kjoule::inject
