// What RepetitionFinder costs inside each launch of a watched program, on sequences that are hard on it in
// different ways. Prints one CSV row a sequence: nanoseconds a call, the mean of all calls, and the median
// and the 99th percentile of blocks of 1000 calls. Stops a sequence at its iteration, when it is found.
//
// usage: period-cost [MILLION_LAUNCHES]      default 8
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <vector>

#include "importers/repetition_finder.hpp"

namespace {

using namespace kjoule;

struct Launch {
  uint64_t shape, arguments;
};

uint64_t spread(uint64_t number) {
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
  number = (number ^ number >> 27) * 0x94D049BB133111EBu;
  return number ^ number >> 31;
}

using Sequence = std::function<Launch(uint64_t)>;

/// 24 layers of 25 launches and a head of 14; one launch of a layer changes from pass to pass when `grows`.
Launch decode(uint64_t number, bool grows) {
  const uint64_t pass = number / 614, place = number % 614;
  const uint64_t kernel = place < 600 ? place % 25 : place;
  const bool differs = grows && kernel == 10;
  return {spread(kernel + (differs ? 1000 * pass : 0)), spread(place + 1000 * pass)};
}

void time(const char* name, uint64_t launches, const Sequence& sequence) {
  std::vector<Launch> ready(1000);
  std::vector<double> blocks;
  RepetitionFinder finder;
  double total_ns = 0;
  for (uint64_t i = 0; i < launches && !finder.found(); i += ready.size()) {
    for (uint64_t k = 0; k < ready.size(); ++k) ready[k] = sequence(i + k);
    const auto begin = std::chrono::steady_clock::now();
    for (uint64_t k = 0; k < ready.size(); ++k)
      finder.add(ready[k].shape, ready[k].arguments, static_cast<int64_t>(5000 * (i + k)));
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    blocks.push_back(took.count() / static_cast<double>(ready.size()));
    total_ns += took.count();
  }
  std::sort(blocks.begin(), blocks.end());
  const uint64_t seen = finder.launches();
  fmt::print("{},{},{},{:.1f},{:.1f},{:.1f}\n", name, seen, finder.found() ? finder.found()->length : 0,
             total_ns / static_cast<double>(seen), blocks[blocks.size() / 2],
             blocks[blocks.size() * 99 / 100]);
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t launches = 1'000'000 * static_cast<uint64_t>(argc > 1 ? std::atol(argv[1]) : 8);
  fmt::print("sequence,launches,found_length,mean_ns,median_ns,p99_ns\n");
  time("growing decode", launches, [](uint64_t i) { return decode(i, true); });
  time("addresses that vary", launches, [](uint64_t i) { return decode(i, false); });
  time("random of 100 kernels", launches, [](uint64_t i) {
    return Launch{spread(spread(i) % 100), spread(i)};
  });
  time("random of 2 kernels", launches, [](uint64_t i) { return Launch{spread(spread(i) % 2), spread(i)}; });
  time("one kernel, other arguments, broken every 20000", launches, [](uint64_t i) {
    return Launch{spread(i % 20000 == 0), spread(i)};
  });
  time("one kernel, half of the arguments equal, broken every 20000", launches, [](uint64_t i) {
    return Launch{spread(i % 20000 == 0), spread(i % 2 ? i : 1)};
  });
  time("100000 launches that repeat", launches, [](uint64_t i) {
    return Launch{spread(spread(i % 100000) % 1000), 1};
  });
  return 0;
}
