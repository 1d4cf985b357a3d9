#include "device/sweep.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr size_t kMostShapes = 10'000'000;
constexpr const char* kFewer = "give larger steps, or smaller ends";
constexpr int64_t kMostOfANumber = int64_t{1} << 40;

}  // namespace

std::vector<int64_t> SweptNumber::values() const {
  const bool adds = growth == Growth::add;
  if (start < 0 || end > kMostOfANumber)
    throw Error(fmt::format("{}: sizes from {} to {} are not possible, only sizes from 0 to {}", name, start,
                            end, kMostOfANumber),
                "correct starts and ends");
  if (start > end)
    throw Error(fmt::format("{}: its start {} is above its end {}", name, start, end),
                "correct starts and ends");
  if (adds && step < 1)
    throw Error(fmt::format("{}: adding {} to its start never reaches its end", name, step),
                "give a step of at least 1");
  if (!adds && (step < 2 || start < 1))
    throw Error(fmt::format("{}: multiplying {} by {} never reaches its end", name, start, step),
                "give a start of at least 1 and a step of at least 2");
  std::vector<int64_t> all;
  for (int64_t value = start; value <= end;) {
    all.push_back(value);
    if (all.size() > kMostShapes)
      throw Error(fmt::format("{}: the sweep has more than {} values of this size", name, kMostShapes),
                  kFewer);
    if (adds ? step > end - value : value > end / step) break;  // ends before the value overflows
    value = adds ? value + step : value * step;
  }
  return all;
}

Sweep::Sweep(const std::vector<SweptNumber>& numbers) {
  for (const SweptNumber& number : numbers) {
    values_.push_back(number.values());
    size_ *= values_.back().size();
    if (size_ > kMostShapes)
      throw Error(fmt::format("{}: the sweep has more than {} shapes", number.name, kMostShapes), kFewer);
  }
}

SampleShape Sweep::shape(size_t index) const {
  SampleShape shape(values_.size());
  for (size_t i = values_.size(); i-- > 0;) {
    shape[i] = values_[i][index % values_[i].size()];
    index /= values_[i].size();
  }
  return shape;
}

size_t part_of_sample(size_t sample, size_t parts) {
  return sample % parts + 1;
}

}  // namespace kjoule
