#include "importers/iteration_counts.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace kjoule {

namespace {

uint64_t mix_bits(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

uint32_t count_warm_up(const std::vector<uint64_t>& contents) {
  std::unordered_map<uint64_t, uint32_t> times;
  for (const uint64_t content : contents) ++times[content];
  uint64_t usual = 0;
  uint32_t most = 1;
  for (const uint64_t content : contents)  // of equally frequent ones, the later one: a program settles to it
    if (times[content] > 1 && times[content] >= most) {
      most = times[content];
      usual = content;
    }
  if (most == 1) return 0;
  const auto settled = std::find(contents.begin(), contents.end(), usual);
  const auto comes_again = std::find_if(contents.begin(), settled, [&](uint64_t content) {
    return std::find(settled, contents.end(), content) != contents.end();
  });
  return static_cast<uint32_t>(comes_again - contents.begin());
}

}  // namespace

uint32_t drop_empty(std::vector<PlacedLaunch>& launches) {
  std::map<uint32_t, uint32_t> numbers;
  for (const PlacedLaunch& launch : launches)
    if (launch.iteration) numbers[*launch.iteration] = 0;
  uint32_t next = 0;
  for (auto& [old, number] : numbers) number = next++;
  for (PlacedLaunch& launch : launches)
    if (launch.iteration) launch.iteration = numbers.at(*launch.iteration);
  return next;
}

IterationCounts count_iterations(const std::vector<PlacedLaunch>& launches, uint32_t iterations,
                                 uint32_t kernels) {
  // Contents are sums of hashes, because streams may interleave differently in each iteration.
  std::vector<uint64_t> contents(iterations, 0);
  for (const PlacedLaunch& launch : launches)
    if (launch.iteration) contents[*launch.iteration] += mix_bits(launch.kernel + 1);
  IterationCounts counts;
  counts.warm_up = count_warm_up(contents);
  counts.number = iterations - counts.warm_up;
  counts.kernels.resize(kernels);
  std::unordered_map<uint64_t, uint64_t> each;
  for (const PlacedLaunch& launch : launches)
    if (counts.counts(launch)) ++each[uint64_t{launch.kernel} << 32 | *launch.iteration];
  std::vector<uint32_t> seen_in(kernels, 0);
  for (const auto& [place, number] : each) {
    const auto kernel = static_cast<uint32_t>(place >> 32);
    IterationCounts::OfKernel& of = counts.kernels[kernel];
    of.fewest = seen_in[kernel] == 0 ? number : std::min(of.fewest, number);
    of.most = std::max(of.most, number);
    of.launches += number;
    ++seen_in[kernel];
  }
  for (uint32_t k = 0; k < kernels; ++k)
    if (seen_in[k] < counts.number) counts.kernels[k].fewest = 0;
  return counts;
}

}  // namespace kjoule
