#include "cuda/busiest_stream.hpp"

#include <gtest/gtest.h>

namespace kjoule::inject {
namespace {

const int kSomewhere[3] = {};
const BusiestStream::Stream kFirst = &kSomewhere[0], kSecond = &kSomewhere[1];

TEST(BusiestStream, IsTheOneWithMostLaunches) {
  BusiestStream streams;
  EXPECT_EQ(streams.get(), nullptr);
  streams.launched(kFirst);
  for (int i = 0; i < 3; ++i) streams.launched(kSecond);
  streams.launched(kFirst);
  EXPECT_EQ(streams.get(), kSecond);
  for (int i = 0; i < 9; ++i) streams.launched(nullptr);
  EXPECT_EQ(streams.get(), nullptr) << "the default stream";
}

TEST(BusiestStream, IsNoStreamThatIsGone) {
  BusiestStream streams;
  streams.launched(kFirst);
  for (int i = 0; i < 3; ++i) streams.launched(kSecond);
  streams.destroyed(kSecond);
  EXPECT_EQ(streams.get(), kFirst);
  streams.launched(kSecond);  // another stream at the same address
  streams.launched(kFirst);
  EXPECT_EQ(streams.get(), kFirst);
  streams.destroyed(kFirst);
  streams.destroyed(kSecond);
  EXPECT_EQ(streams.get(), nullptr);
}

}  // namespace
}  // namespace kjoule::inject
