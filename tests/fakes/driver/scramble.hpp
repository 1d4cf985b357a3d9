#pragma once
#include <cstdint>

namespace stand_in {

/// Spreads a number over all its bits, like the last step of splitmix64.
inline uint64_t scramble(uint64_t v) {
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ull;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebull;
  return v ^ (v >> 31);
}

}  // namespace stand_in
