#include "cuda/watch/busiest_stream.hpp"

#include <gtest/gtest.h>

namespace kjoule::cuda {
namespace {

const int kSomewhere[3] = {};
const BusiestStream::Stream kFirst = &kSomewhere[0], kSecond = &kSomewhere[1];

TEST(BusiestStream, IsTheOneWithMostLaunches) {
  BusiestStream streams;
  EXPECT_EQ(streams.get(), nullptr);
  streams.count_launch(kFirst);
  for (int i = 0; i < 3; ++i) streams.count_launch(kSecond);
  streams.count_launch(kFirst);
  EXPECT_EQ(streams.get(), kSecond);
  for (int i = 0; i < 9; ++i) streams.count_launch(nullptr);
  EXPECT_EQ(streams.get(), nullptr) << "the default stream";
}

TEST(BusiestStream, IsNoStreamThatIsGone) {
  BusiestStream streams;
  streams.count_launch(kFirst);
  for (int i = 0; i < 3; ++i) streams.count_launch(kSecond);
  streams.remove(kSecond);
  EXPECT_EQ(streams.get(), kFirst);
  streams.count_launch(kSecond);  // another stream at the same address
  streams.count_launch(kFirst);
  EXPECT_EQ(streams.get(), kFirst);
  streams.remove(kFirst);
  streams.remove(kSecond);
  EXPECT_EQ(streams.get(), nullptr);
}

}  // namespace
}  // namespace kjoule::cuda
