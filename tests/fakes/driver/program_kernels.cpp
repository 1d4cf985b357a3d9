// The kernels of the test programs. They are few, but include every kind that makes replay difficult:
// in-place updates, reads by an index, and results that vary.

#include "program_kernels.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "kernels.hpp"
#include "shared_number.hpp"

namespace stand_in {

namespace {

size_t least(size_t count, const Dimensions& dimensions) {
  return std::min(count, dimensions.threads());
}

void fill(Access& access, const Dimensions& dimensions, float* y, float value, unsigned count) {
  std::fill_n(access(y, count), least(count, dimensions), value);
}

/// y[i] = i * step % rows: indices for gather.
void fill_indices(Access& access, const Dimensions& dimensions, unsigned* y, unsigned step, unsigned rows,
                  unsigned count) {
  access(y, count);
  for (size_t i = 0; i < least(count, dimensions); ++i) y[i] = static_cast<unsigned>(i * step % rows);
}

/// y += x
void add(Access& access, const Dimensions& dimensions, float* y, const float* x, unsigned count) {
  access(y, count);
  access(x, count);
  for (size_t i = 0; i < least(count, dimensions); ++i) y[i] += x[i];
}

/// y = y * factor + 1
void scale(Access& access, const Dimensions& dimensions, float* y, float factor, unsigned count) {
  access(y, count);
  for (size_t i = 0; i < least(count, dimensions); ++i) y[i] = y[i] * factor + 1;
}

void gather(Access& access, const Dimensions& dimensions, float* y, const float* table,
            const unsigned* indices, unsigned rows, unsigned count) {
  access(y, count);
  access(table, rows);
  access(indices, count);
  for (size_t i = 0; i < least(count, dimensions); ++i) {
    if (indices[i] >= rows)
      throw IllegalAddress("index " + std::to_string(indices[i]) + " at " + std::to_string(i));
    y[i] = table[indices[i]];
  }
}

void mix(Access& access, const Dimensions& dimensions, float* y, const float* a, const float* b,
         MixShape shape, float beta, bool negate, int shift) {
  const size_t count = size_t{shape.rows} * shape.columns;
  access(y, count);
  access(a, count);
  access(b, shape.columns);
  const float sign = negate ? -1.0F : 1.0F;
  for (size_t i = 0; i < least(count, dimensions); ++i) {
    const size_t column = (i + static_cast<size_t>(shift)) % shape.columns;
    y[i] = sign * static_cast<float>(shape.scale) * a[i] * b[column] + beta * y[i];
  }
}

/// Gives another result in each run, like a sum by atomics.
void count(Access& access, const Dimensions& dimensions, float* y, unsigned count) {
  static std::atomic<unsigned> runs{static_cast<unsigned>(clock())};
  access(y, count);
  const unsigned run = ++runs;
  for (size_t i = 0; i < least(count, dimensions); ++i)
    y[i] = 1 + 1e-6F * static_cast<float>((run * 7919U + i) % 1000U);
}

void overflow(Access& access, const Dimensions& dimensions, float* y, unsigned count) {
  access(y, count);
  for (size_t i = 0; i < least(count, dimensions); ++i) y[i] = (y[i] + 2) * 3e38F;
}

/// Becomes infinite when an iteration is executed a second time.
void explode(Access& access, const Dimensions& dimensions, float* y, int iteration, unsigned count) {
  static std::atomic<int> latest{-1};
  access(y, count);
  const bool again = iteration <= latest.load();
  latest = std::max(iteration, latest.load());
  const float value = again ? std::numeric_limits<float>::infinity() : 1.0F;
  for (size_t i = 0; i < least(count, dimensions); ++i) y[i] = value;
}

/// Computes y in 16 passes over it, or in one if y was computed before. Until then, y[0] is 0.
void solve(Access& access, const Dimensions&, float* y, unsigned count) {
  constexpr int kPasses = 16;
  const int passes = *access(y, 1) == 0 ? kPasses : 1;
  for (int pass = 0; pass < passes; ++pass) access(y, count);
  y[0] += static_cast<float>(passes);
}

/// Counts its launches in y[0], and asserts that there were `expected` of them: a second replay in a row,
/// without restored memory, faults.
void assert_count(Access& access, const Dimensions&, unsigned* y, unsigned expected) {
  if (++*access(y, 1) != expected) throw IllegalAddress("assertion: " + std::to_string(*y) + " launches");
}

/// Counts its launches in y[0]. A second launch in a row, without restored memory, takes hours.
void stall_count(Access& access, const Dimensions&, unsigned* y) {
  constexpr double kHours_ns = 1e13;
  if (++*access(y, 1) > 1) running_kernel().wait_until(running_kernel().begin_ns + kHours_ns);
}

/// Asserts that it was not launched with this number before: each replay faults.
void assert_new(Access& access, const Dimensions&, float* y, int number) {
  static std::atomic<int> latest{-1};
  access(y, 1);
  if (number <= latest.exchange(number))
    throw IllegalAddress("assertion: " + std::to_string(number) + " again");
}

/// Writes 1 to the first float of a page and counts; each third call goes to the next page.
void append(Access& access, const Dimensions&, float* pages, unsigned* calls) {
  constexpr size_t kFloatsOfPage = 1024;
  ++*access(calls, 1);
  *access(pages + *calls / 3 * kFloatsOfPage, 1) = 1;
}

/// Writes to another page each time that it runs.
void wander(Access& access, const Dimensions&, float* pages, unsigned count) {
  static std::atomic<unsigned> runs{0};
  constexpr size_t kFloatsOfPage = 1024;
  const unsigned run = ++runs;
  *access(pages + run % count * kFloatsOfPage, 1) = static_cast<float>(run);
}

/// Returns the arrivals that the ranks of a program share; null if it has none.
Arrivals* arrivals() {
  static auto* const shared = [] {
    const char* address = std::getenv(kArrivals);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address comes from the process that made the memory
    return reinterpret_cast<Arrivals*>(address == nullptr ? 0 : std::strtoull(address, nullptr, 10));
  }();
  return shared;
}

/// Adds up the floats of all ranks, in the order of the ranks. Like NCCL's kernels, it waits for the other
/// ranks without a time limit; the numbers of messages are in device memory or in a file of the host.
void all_reduce(Access& access, const Dimensions&, float* y, unsigned count, Communicator* communicator) {
  Communicator& own = *access(communicator, 1);
  access(y, count);
  const uint64_t number = ++own.messages;
  const size_t parity = number % 2;
  if (arrivals() != nullptr) arrivals()->ns[own.number][parity][own.own] = running_kernel().begin_ns;
  for (unsigned rank = 0; rank < own.ranks; ++rank) {
    Mailbox& mailbox = *access(own.mailboxes[rank], 1);
    std::copy_n(y, count, mailbox.mail[parity][own.own]);
    SharedNumber(mailbox.arrived[own.own]).store(number);
  }
  Mailbox& mailbox = *own.mailboxes[own.own];
  for (unsigned rank = 0; rank < own.ranks; ++rank) {
    SharedNumber(mailbox.arrived[rank]).wait_until([&](uint64_t arrived) { return arrived >= number; });
    if (arrivals() != nullptr) running_kernel().wait_until(arrivals()->ns[own.number][parity][rank]);
  }
  if (++mailbox.read != number) throw IllegalAddress("a message that the mailbox has had before");
  std::fill_n(y, count, 0.0F);
  for (unsigned rank = 0; rank < own.ranks; ++rank)
    for (unsigned i = 0; i < count; ++i) y[i] += mailbox.mail[parity][rank][i];
}

void send(Access& access, const Dimensions&, float* y, unsigned count, Communicator* communicator) {
  Communicator& own = *access(communicator, 1);
  Mailbox& mailbox = *access(own.mailboxes[own.own + 1], 1);
  const uint64_t number = ++own.sent[own.own + 1];
  SharedNumber(mailbox.read_of[own.own]).wait_until([&](uint64_t read) { return read + 2 >= number; });
  std::copy_n(access(y, count), count, mailbox.mail[number % 2][own.own]);
  SharedNumber(mailbox.arrived[own.own]).store(number);
}

void receive(Access& access, const Dimensions&, float* y, unsigned count, Communicator* communicator) {
  Communicator& own = *access(communicator, 1);
  Mailbox& mailbox = *access(own.mailboxes[own.own], 1);
  const unsigned from = own.own - 1;
  const uint64_t number = ++own.received[from];
  SharedNumber(mailbox.arrived[from]).wait_until([&](uint64_t arrived) { return arrived >= number; });
  std::copy_n(mailbox.mail[number % 2][from], count, access(y, count));
  SharedNumber(mailbox.read_of[from]).store(number);
}

void reduce_if_permitted(Access& access, const Dimensions& dimensions, float* y, unsigned count,
                         Communicator* communicator, uint64_t* permitted) {
  const uint64_t number = access(communicator, 1)->messages + 1;
  SharedNumber(*access(permitted, 1)).wait_until([&](uint64_t messages) { return messages >= number; });
  all_reduce(access, dimensions, y, count, communicator);
}

void reduce_queued(Access& access, const Dimensions& dimensions, QueuedWork work) {
  all_reduce(access, dimensions, work.data, kMailFloats, work.communicator);
}

/// Counts its launches in a variable of its module, and adds the count to y.
void count_launches(Access& access, const Dimensions& dimensions, float* y, unsigned count) {
  access(y, count);
  const auto launches = static_cast<float>(++*access(tally(Running::number()), 1));
  for (size_t i = 0; i < least(count, dimensions); ++i) y[i] += launches;
}

}  // namespace

unsigned* tally(int device) {
  static std::array<unsigned*, kMostDevices> variables{};
  unsigned*& variable = variables.at(static_cast<size_t>(device));
  if (variable == nullptr)
    variable = reinterpret_cast<unsigned*>(Memory::device().allocate_for(device, sizeof(unsigned)));
  return variable;
}

std::vector<Kernel> program_kernels() {
  return {make_kernel("fill", fill),
          make_kernel("fill_indices", fill_indices),
          make_kernel("add", add),
          make_kernel("scale", scale),
          make_kernel("gather", gather),
          make_kernel(kMix, mix),
          make_kernel("count", count),
          make_kernel("overflow", overflow),
          make_kernel("explode", explode),
          make_kernel("append", append),
          make_kernel("wander", wander),
          make_kernel("solve", solve),
          make_kernel("assert_count", assert_count),
          make_kernel("assert_new", assert_new),
          make_kernel("stall_count", stall_count),
          make_kernel(kTally, count_launches),
          make_kernel(kAllReduce, all_reduce),
          make_kernel(kSend, send),
          make_kernel(kReceive, receive),
          make_kernel(kReduceIfPermitted, reduce_if_permitted),
          make_kernel(kReduceQueued, reduce_queued),
          make_kernel(kNvshmem, fill)};
}

}  // namespace stand_in
