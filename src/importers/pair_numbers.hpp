#pragma once
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/json_cursor.hpp"

namespace kjoule {

/// Numbers the pairs of two texts, such as process and thread, from 0 in the order of their first use. Texts
/// with and without quotes are the same.
class PairNumbers {
 public:
  /// Returns the number of a pair. The texts must outlive this object.
  uint32_t of(std::string_view first, std::string_view second) {
    if (first != first_ || second != second_ || numbers_.empty()) {
      first_ = first;
      second_ = second;
      latest_ =
          numbers_
              .try_emplace({between_quotes(first).value_or(first), between_quotes(second).value_or(second)},
                           static_cast<uint32_t>(numbers_.size()))
              .first->second;
    }
    return latest_;
  }

  /// Numbers the pairs of `others`, in their order. Returns the number here of each number there.
  std::vector<uint32_t> take(const PairNumbers& others) {
    std::vector<std::pair<std::string_view, std::string_view>> pairs(others.numbers_.size());
    for (const auto& [pair, number] : others.numbers_) pairs[number] = pair;
    std::vector<uint32_t> numbers;
    for (const auto& [first, second] : pairs) numbers.push_back(of(first, second));
    return numbers;
  }

 private:
  std::string_view first_, second_;  // consecutive events usually have the same pair
  uint32_t latest_ = 0;
  std::map<std::pair<std::string_view, std::string_view>, uint32_t> numbers_;
};

}  // namespace kjoule
