// The kernels of the .cu files in src/cuda, executed by the host.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

#include "devices.hpp"
#include "hooks.hpp"
#include "kernels.hpp"
#include "scramble.hpp"
#include "shared_number.hpp"

namespace stand_in {

namespace {

constexpr uint64_t kWordsOfPage = 512;

uint64_t hash_of(const uint64_t* first, uint64_t words) {
  uint64_t hash = 0;
  for (uint64_t i = 0; i < words; ++i) hash += scramble(first[i] + 0x9e3779b97f4a7c15ull * (i + 1));
  return hash;
}

void hash_pages(Access& access, const Dimensions& dimensions, const uint64_t* base, uint64_t bytes,
                uint64_t* hashes) {
  const uint64_t words = bytes / sizeof(uint64_t);
  access(base, words);
  access(hashes, dimensions.blocks());
  for (uint64_t page = 0; page < dimensions.blocks(); ++page) {
    const uint64_t first = page * kWordsOfPage;
    hashes[page] = hash_of(base + first, std::min(kWordsOfPage, words - first));
  }
}

void hash_listed_pages(Access& access, const Dimensions& dimensions, const uint64_t* address,
                       const uint64_t* bytes, uint64_t* hashes) {
  const size_t pages = dimensions.blocks();
  access(address, pages);
  access(bytes, pages);
  access(hashes, pages);
  for (size_t page = 0; page < pages; ++page) {
    const uint64_t words = bytes[page] / sizeof(uint64_t);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a list of addresses is what the kernel takes
    hashes[page] = hash_of(access(reinterpret_cast<const uint64_t*>(address[page]), words), words);
  }
}

void mark_changed_pages(Access& access, const Dimensions& dimensions, const uint64_t* address,
                        const uint64_t* bytes, unsigned mark, uint64_t* hashes, unsigned* marks) {
  const size_t pages = dimensions.blocks();
  access(address, pages);
  access(bytes, pages);
  access(hashes, pages);
  access(marks, pages);
  for (size_t page = 0; page < pages; ++page) {
    const uint64_t words = bytes[page] / sizeof(uint64_t);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a list of addresses is what the kernel takes
    const uint64_t hash = hash_of(access(reinterpret_cast<const uint64_t*>(address[page]), words), words);
    if (hashes[page] == hash) continue;
    hashes[page] = hash;
    marks[page] = mark;
  }
}

/// Returns the numbers of 16-bit values that are infinite or NaN as bfloat16, and as float16.
std::pair<uint32_t, uint32_t> non_finite_of(const uint64_t* first, uint64_t words) {
  uint32_t bfloats = 0, halves = 0;
  for (uint64_t i = 0; i < words; ++i)
    for (int shift = 0; shift < 64; shift += 16) {
      const uint64_t bits = first[i] >> shift & 0xffff;
      bfloats += (bits & 0x7f80) == 0x7f80;
      halves += (bits & 0x7c00) == 0x7c00;
    }
  return {bfloats, halves};
}

void count_non_finite(Access& access, const Dimensions& dimensions, const uint64_t* base, uint64_t bytes,
                      uint32_t* counts) {
  const uint64_t words = bytes / sizeof(uint64_t);
  access(base, words);
  access(counts, 2 * dimensions.blocks());
  for (uint64_t page = 0; page < dimensions.blocks(); ++page) {
    const uint64_t first = page * kWordsOfPage;
    const auto [bfloats, halves] = non_finite_of(base + first, std::min(kWordsOfPage, words - first));
    counts[2 * page] = bfloats;
    counts[2 * page + 1] = halves;
  }
}

/// Bytes that a kernel copies in units of 16 bytes.
struct alignas(16) Unit {
  std::byte bytes[16];
};

void copy_run(Access& access, const Dimensions&, Unit* to, const Unit* from, uint64_t bytes) {
  const uint64_t whole = bytes / 16 * 16;
  std::memcpy(access(to, whole / 16), access(from, whole / 16), whole);
}

void changed_pages(Access& access, const Dimensions& dimensions, uint64_t* before, const uint64_t* after,
                   unsigned pages, unsigned* changed, unsigned* count) {
  access(before, pages);
  access(after, pages);
  access(count, 1);
  const auto looked_at = static_cast<unsigned>(std::min<size_t>(pages, dimensions.threads()));
  for (unsigned page = 0; page < looked_at; ++page) {
    if (before[page] == after[page]) continue;
    before[page] = after[page];
    access(changed, *count + 1)[*count] = page;
    ++*count;
  }
}

void copy_pages(Access& access, const Dimensions&, const uint64_t* to, const uint64_t* from,
                const uint64_t* bytes, unsigned pages) {
  access(to, pages);
  access(from, pages);
  access(bytes, pages);
  for (unsigned p = 0; p < pages; ++p) {
    const uint64_t whole = bytes[p] / 16 * 16;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): lists of addresses are what the kernel takes
    std::memcpy(access(reinterpret_cast<std::byte*>(to[p]), whole),
                access(reinterpret_cast<const std::byte*>(from[p]), whole), whole);  // NOLINT
  }
}

/// Reads the clocks of processors that run at 1.7 cycles per nanosecond.
void read_clocks(Access& access, const Dimensions& dimensions, uint64_t* of_processor) {
  access(of_processor, 2 * dimensions.blocks());
  for (size_t i = 0; i < dimensions.blocks(); ++i) {
    of_processor[2 * i + 1] = static_cast<uint64_t>(now_ns());
    of_processor[2 * i] = of_processor[2 * i + 1] / 10 * 17;
  }
}

/// Does nothing: work is executed when it is issued, so there is nothing to hold back.
void wait_for_host(Access&, const Dimensions&, const unsigned*, unsigned, uint64_t) {}

/// The line of a rank in the signals. The first 16 bytes are those of the real kernels; the virtual times are
/// only here.
struct SignalLine {
  unsigned met, ping;
  uint64_t reply;
  std::atomic<double> met_ns[2];  ///< virtual time of a meeting, by the parity of its number
  std::atomic<double> ping_ns, reply_ns;
  char rest[80];
};
static_assert(sizeof(SignalLine) == 128);

/// `place` counts the meetings. Each rank leaves at the virtual time at which the last one came.
void meet_ranks(Access& access, const Dimensions&, SignalLine* signals, unsigned* place, unsigned own,
                unsigned ranks) {
  const unsigned number = ++*access(place, 1);
  access(signals, ranks);
  signals[own].met_ns[number % 2] = running_kernel().begin_ns;
  SharedNumber(signals[own].met).store(number);
  for (unsigned rank = 0; rank < ranks; ++rank) {
    SharedNumber(signals[rank].met).wait_until([&](unsigned meetings) {
      return static_cast<int>(meetings - number) >= 0;
    });
    running_kernel().wait_until(signals[rank].met_ns[number % 2]);
  }
}

/// A message takes 0.9 us from the first rank to another one, and 1.1 us back.
void compare_clocks(Access& access, const Dimensions&, SignalLine* signals, unsigned* seen, unsigned own,
                    unsigned ranks, int64_t* results) {
  constexpr int kRounds = 16;
  access(signals, ranks);
  RunningKernel& kernel = running_kernel();
  for (int round = 0; own != 0 && round < kRounds; ++round) {
    const unsigned last = (*access(seen, 1))++;
    SharedNumber(signals[own].ping).wait_until([&](unsigned ping) { return ping != last; });
    kernel.wait_until(signals[own].ping_ns + 900);
    signals[own].reply_ns = kernel.now_ns();
    SharedNumber(signals[own].reply).store(device_clock(kernel.now_ns()));
  }
  for (unsigned rank = 1; own == 0 && rank < ranks; ++rank) {
    SignalLine& line = signals[rank];
    int64_t* result = access(results + 2 * size_t{rank}, 2);
    result[1] = std::numeric_limits<int64_t>::max();
    for (int round = 0; round < kRounds; ++round) {
      const uint64_t last = line.reply, begin = device_clock(kernel.now_ns());
      line.ping_ns = kernel.now_ns();
      SharedNumber(line.ping).store(line.ping + 1);
      SharedNumber(line.reply).wait_until([&](uint64_t reply) { return reply != last; });
      kernel.wait_until(line.reply_ns + 1100);
      const auto took = static_cast<int64_t>(device_clock(kernel.now_ns()) - begin);
      if (took >= result[1]) continue;
      result[0] = static_cast<int64_t>(line.reply - begin) - took / 2;
      result[1] = took;
    }
  }
}

void write_stamp(Access& access, const Dimensions&, uint64_t* slot) {
  *access(slot, 1) = device_clock(running_kernel().begin_ns);
}

void do_nothing(Access&, const Dimensions&) {}

/// The steps of the virtual clock are 1 ns.
void measure_clock_steps(Access& access, const Dimensions&, double* shortest_and_mean) {
  std::fill_n(access(shortest_and_mean, 2), 2, 1.0);
}

void pause(Access& access, const Dimensions&, const unsigned* ns) {
  access(ns, 1);
  const int64_t begin = now_ns();
  while (now_ns() - begin < static_cast<int64_t>(*ns)) {
  }
}

}  // namespace

std::vector<Kernel> page_kernels() {
  return {make_kernel("hash_pages", hash_pages),
          make_kernel("hash_listed_pages", hash_listed_pages),
          make_kernel("count_non_finite", count_non_finite),
          make_kernel("copy_run", copy_run),
          make_kernel("changed_pages", changed_pages),
          make_kernel("copy_pages", copy_pages),
          make_kernel("read_clocks", read_clocks),
          make_kernel("wait_for_host", wait_for_host),
          make_kernel("pause", pause),
          make_kernel("kjoule_meet_ranks", meet_ranks),
          make_kernel("kjoule_compare_clocks", compare_clocks),
          make_kernel("write_stamp", write_stamp),
          make_kernel("do_nothing", do_nothing),
          make_kernel("measure_clock_steps", measure_clock_steps),
          make_kernel("mark_changed_pages", mark_changed_pages)};
}

RunningKernel& running_kernel() {
  thread_local RunningKernel kernel;
  return kernel;
}

uint64_t device_clock(double virtual_ns) {
  static const bool apart = std::getenv("FAKE_CUDA_CLOCKS") != nullptr;
  const double device = apart ? Running::device() : 0;
  return static_cast<uint64_t>(virtual_ns * (1 + 1e-5 * device) + 1e6 * device);
}

const Kernel* find_kernel(const std::string& name) {
  // Never destroyed: activity records refer to the names until the process ends.
  static const auto* all = [] {
    auto* map = new std::map<std::string, Kernel>;
    for (const auto& kernels : {page_kernels(), program_kernels(), blas_kernels(), outside_kernels()})
      for (const Kernel& kernel : kernels) (*map)[kernel.name] = kernel;
    return map;
  }();
  const auto found = all->find(name);
  return found == all->end() ? nullptr : &found->second;
}

}  // namespace stand_in
