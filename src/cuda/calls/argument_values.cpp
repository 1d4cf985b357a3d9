#include "cuda/calls/argument_values.hpp"

#include <xxhash.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>
#include <unordered_set>

namespace kjoule::cuda {

namespace {

constexpr uint64_t kSmallestAddress = uint64_t{1} << 28;
constexpr size_t kFewValues = 8;
constexpr size_t kLaunchesForEachValue = 4;

using Words = std::vector<uint32_t>;

Words words_of(const std::vector<std::byte>& bytes) {
  Words words((bytes.size() + sizeof(uint32_t) - 1) / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

/// Sets to 0 each pair of 4-byte words that can be read as an address. An address may begin at any multiple
/// of 4 bytes.
void clear_addresses(Words& words, const std::function<bool(uint64_t)>& is_address) {
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const uint64_t word = words[i] | uint64_t{words[i + 1]} << 32;
    if (is_address(word)) words[i] = words[i + 1] = 0;
  }
}

/// Sets to 0 the words that hardly ever repeat (see argument_value_hashes()) among these launches of equal
/// shape and attributes.
void clear_unique(std::vector<Words*>& launches) {
  std::unordered_set<uint32_t> values;
  for (size_t at = 0; at < launches.front()->size(); ++at) {
    values.clear();
    for (const Words* words : launches)
      if (at < words->size()) values.insert((*words)[at]);
    if (values.size() <= kFewValues || values.size() * kLaunchesForEachValue <= launches.size()) continue;
    for (Words* words : launches)
      if (at < words->size()) (*words)[at] = 0;
  }
}

}  // namespace

std::vector<uint64_t> argument_value_hashes(const std::vector<LaunchArguments>& launches,
                                            const std::function<bool(uint64_t)>& is_address) {
  std::vector<Words> words;
  words.reserve(launches.size());
  std::map<uint64_t, std::vector<Words*>> by_shape;
  for (const LaunchArguments& launch : launches) {
    words.push_back(words_of(*launch.bytes));
    clear_addresses(words.back(), is_address);
    by_shape[launch.shape_and_attributes].push_back(&words.back());
  }
  for (auto& [shape, members] : by_shape)
    if (members.size() > kFewValues) clear_unique(members);
  std::vector<uint64_t> hashes;
  for (const Words& each : words) hashes.push_back(XXH3_64bits(each.data(), each.size() * sizeof(uint32_t)));
  return hashes;
}

AddressSpace::AddressSpace(const std::string& maps, const Allocations& device) : device_(device) {
  std::istringstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    unsigned long long begin = 0;
    unsigned long long end = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx", &begin, &end) == 2) host_.add({begin, end - begin});
  }
}

bool AddressSpace::contains(uint64_t address) const {
  return address >= kSmallestAddress && (device_.contains(address) || host_.contains(address));
}

}  // namespace kjoule::cuda
