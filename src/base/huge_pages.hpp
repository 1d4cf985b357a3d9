#pragma once
#include <cstddef>
#include <vector>

namespace kjoule {

/// Asks the operating system to back memory with huge pages (2 MiB). Touching new memory is then several
/// times faster, because the system prepares fewer pages. The request may be ignored.
void prefer_huge_pages(void* memory, size_t bytes);

/// Reserves room for `number` values in an empty vector, in huge pages. Room that stays unused costs nothing.
template <class Value>
void reserve_huge(std::vector<Value>& values, size_t number) {
  values.reserve(number);
  prefer_huge_pages(values.data(), number * sizeof(Value));
}

}  // namespace kjoule
