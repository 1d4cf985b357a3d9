#pragma once
#include <cstdint>
#include <initializer_list>

#include "base/error.hpp"

namespace kjoule {

/// Largest count of elements, parameters or multiply-adds. The operations of so many multiply-adds, twice as
/// many, still fit into 64 bits.
constexpr int64_t kLargestCount = int64_t{1} << 60;

/// Returns `count`. Throws Error if its amount is above kLargestCount.
inline int64_t checked_count(int64_t count) {
  if (count > kLargestCount || count < -kLargestCount)
    throw Error("the sizes are too large: a product or sum of them is above 2^60",
                "correct the sizes, or repeat");
  return count;
}

/// Returns the product of the factors. Throws Error if it, or the product of the first of them, is above
/// kLargestCount.
inline int64_t checked_product(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (const int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) product = INT64_MAX;
    checked_count(product);
  }
  return product;
}

/// Returns the sum of the terms. Throws Error if it, or the sum of the first of them, is above kLargestCount.
inline int64_t checked_sum(std::initializer_list<int64_t> terms) {
  int64_t sum = 0;
  for (const int64_t term : terms) {
    if (__builtin_add_overflow(sum, term, &sum)) sum = INT64_MAX;
    checked_count(sum);
  }
  return sum;
}

}  // namespace kjoule
