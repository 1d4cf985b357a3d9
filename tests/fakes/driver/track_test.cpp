// Replay and restoring of memory by the injected library, on the stand-in for the driver. The launches of a
// small program are created directly and replayed as if they had been recorded.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cuda/calls/make_call.hpp"
#include "cuda/memory/iteration_end.hpp"
#include "cuda/memory/learnt_pages.hpp"
#include "cuda/replay/empty_kernels_track.hpp"
#include "cuda/replay/observed_iteration.hpp"
#include "cuda/replay/overlapped_track.hpp"
#include "cuda/replay/stamped_track.hpp"
#include "cuda/replay/steady_track.hpp"

namespace kjoule::cuda {

namespace {

constexpr unsigned kFloatsOfPage = kPageBytes / sizeof(float);
constexpr unsigned kThreads = 256;

using Floats = std::vector<float>;

/// Device memory of a program, in pages by which the tests refer to it.
class Memory {
 public:
  explicit Memory(unsigned pages) : pages_(pages), buffer_(pages * kPageBytes) {
    KJOULE_CU(cuMemsetD8(buffer_.address(), 0, pages * kPageBytes));
  }
  CUdeviceptr page(unsigned number) const { return buffer_.address() + number * kPageBytes; }
  Allocation range(MemoryKind kind = MemoryKind::plain) const {
    return {buffer_.address(), pages_ * kPageBytes, kind};
  }
  Floats floats(unsigned page, size_t count) const {
    Floats values(count);
    KJOULE_CU(cuMemcpyDtoH(values.data(), this->page(page), count * sizeof(float)));
    return values;
  }
  float first(unsigned page) const { return floats(page, 1).front(); }
  std::vector<std::byte> all() const { return read_back<std::byte>(buffer_, pages_ * kPageBytes); }

 private:
  unsigned pages_;
  Buffer buffer_;
};

class Tracks : public testing::Test {
 protected:
  void SetUp() override {
    KJOULE_CU(cuInit(0));
    CUcontext context = nullptr;
    KJOULE_CU(cuDevicePrimaryCtxRetain(&context, 0));
    KJOULE_CU(cuCtxSetCurrent(context));
    program_ = std::make_unique<Module>("any");
    kernels_ = std::make_unique<PageKernels>();
    clocks_ = std::make_unique<ClockKernel>();
    stamps_ = std::make_unique<StampKernels>();
    gate_ = std::make_unique<Gate>();
    KJOULE_CU(cuStreamCreate(&capture_stream_, CU_STREAM_NON_BLOCKING));
    memory_ = std::make_unique<Memory>(8);
  }
  void TearDown() override { cuStreamDestroy(capture_stream_); }

  template <typename... Arguments>
  void call(const char* function, Arguments... arguments) {
    void* pointers[] = {&arguments...};
    KernelView view;
    view.function = program_->function(function);
    view.grid = {kFloatsOfPage / kThreads, 1, 1};
    view.block = {kThreads, 1, 1};
    view.arguments = pointers;
    calls_.push_back(make_call({view, nullptr}, functions_));
    if (calls_.size() > 1) calls_.back().waits_for = {static_cast<uint32_t>(calls_.size() - 2)};
  }
  void fill(unsigned page, float value) { call("fill", memory_->page(page), value, kFloatsOfPage); }
  void add(unsigned to, unsigned from) { call("add", memory_->page(to), memory_->page(from), kFloatsOfPage); }

  /// Takes the snapshot of the current memory as the iteration's beginning, and runs the iteration as the
  /// program would.
  void record() {
    begin_ = memory_->all();
    snapshot_.emplace(*kernels_, std::vector{memory_->range(kind_)});
    snapshot_->take(images_, "the pages", nullptr);
    for (const Call& call : calls_) issue(call, nullptr);
    KJOULE_CU(cuCtxSynchronize());
    end_.emplace(snapshot_->memory(), nullptr);
  }
  void find_state(bool is_closed = true) {
    is_closed_ = is_closed;
    memory_state_ = std::make_unique<MemoryState>(
        *kernels_, peers_, *snapshot_, calls_, is_closed ? WindowEdges{} : WindowEdges{1, 0}, *end_, nullptr);
  }
  ReplayContext replay_context() {
    return {calls_,
            is_closed_,
            memory_state_.get(),
            write_sets_.get(),
            nullptr,
            *kernels_,
            *clocks_,
            *stamps_,
            *gate_,
            peers_,
            capture_stream_,
            nullptr};
  }
  std::vector<unsigned> restored_pages() const {
    std::vector<unsigned> pages;
    const PageCopies& copies = memory_state_->restoring_copies();
    for (size_t i = 0; i < copies.to.size(); ++i)
      for (uint64_t at = copies.to[i]; at < copies.to[i] + copies.bytes[i]; at += kPageBytes)
        pages.push_back(static_cast<unsigned>((at - memory_->page(0)) / kPageBytes));
    return pages;
  }
  static TrackTiming replay(Track& track, int repeats) {
    track.enqueue(repeats);
    return track.wait();
  }

  std::unique_ptr<Module> program_;
  std::unique_ptr<PageKernels> kernels_;
  std::unique_ptr<ClockKernel> clocks_;
  std::unique_ptr<StampKernels> stamps_;
  std::unique_ptr<Gate> gate_;
  NoPeers peers_;
  CUstream capture_stream_ = nullptr;
  std::unique_ptr<Memory> memory_;
  FunctionTable functions_;
  std::vector<Call> calls_;
  std::vector<std::byte> begin_;
  PageSet images_ = PageSet::range(0, 8);  ///< the pages of which the snapshot has images
  MemoryKind kind_ = MemoryKind::plain;
  std::optional<Snapshot> snapshot_;
  std::optional<MemoryDigest> end_;
  bool is_closed_ = true;
  std::unique_ptr<MemoryState> memory_state_;
  std::unique_ptr<WriteSets> write_sets_;
};

using Indices = std::vector<LaunchIndex>;
using Pages = std::vector<unsigned>;

TEST_F(Tracks, OnlyPagesWithANetChangeAreRestored) {
  fill(0, 1);  // the same contents in each iteration, as before the first one
  fill(1, 5);  // scratch memory that returns to its contents
  add(2, 0);   // a counter
  fill(1, 0);
  KJOULE_CU(cuMemsetD32(memory_->page(0), 0x3f800000, kFloatsOfPage));
  record();
  find_state();
  EXPECT_EQ(Pages({2}), restored_pages());
  EXPECT_EQ(begin_, memory_->all());
  EXPECT_EQ(4, memory_state_->verification().launches);
  EXPECT_EQ(Indices(), memory_state_->verification().different);
  EXPECT_EQ(Indices(), memory_state_->verification().varying);
}

TEST_F(Tracks, APageThatOnlyTheThirdIterationChangesIsRestored) {
  call("append", memory_->page(1), memory_->page(0));
  const float one = 1;
  KJOULE_CU(cuMemcpyHtoD(memory_->page(1), &one, sizeof one));
  record();
  find_state();
  EXPECT_EQ(Pages({0, 2}), restored_pages());
  StampedWork work{{0, 0, 0}, {0, 2}};
  StampedTrack track(replay_context(), work);
  replay(track, 2);
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(Tracks, AWindowThatIsNoIterationIsRestoredAfterEachReplay) {
  call("append", memory_->page(1), memory_->page(0));
  const float one = 1;
  KJOULE_CU(cuMemcpyHtoD(memory_->page(1), &one, sizeof one));
  record();
  find_state(false);
  EXPECT_EQ(1U, restored_pages().size()) << "it was never replayed three times in a row";
  SteadyTrack steady(replay_context(), SteadyWork{1});
  replay(steady, 2);
  EXPECT_EQ(begin_, memory_->all());
  EXPECT_THROW(SteadyTrack(replay_context(), SteadyWork{3}), Error);
  EXPECT_THROW(StampedTrack(replay_context(), StampedWork{{0, 0}, {0, 1}}), Error);
}

TEST_F(Tracks, WhatTheLeadOfAWindowChangesIsRestoredAlsoWhereTheWindowChangesItBack) {
  fill(0, 1);
  fill(0, 0);
  record();
  find_state(false);
  EXPECT_EQ(Pages({0}), restored_pages());
  SteadyTrack lead(replay_context(), SteadyWork{.plain = 1, .end = 1});
  replay(lead, 2);
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(Tracks, VerificationNamesTheLaunchThatLastWroteADifferentPage) {
  fill(0, 1);
  fill(0, 2);
  fill(1, 3);
  record();
  // the program's own run left something else
  KJOULE_CU(cuMemsetD32(memory_->page(0), 7, 1));
  end_.emplace(snapshot_->memory(), nullptr);
  find_state();
  EXPECT_EQ(Indices({1}), memory_state_->verification().different);
  EXPECT_EQ(Indices(), memory_state_->verification().varying);
  EXPECT_EQ(Indices(), memory_state_->verification().non_finite);
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(Tracks, TheLastLaunchStandsForAPageThatNoneWrote) {
  fill(0, 1);
  fill(1, 2);
  record();
  KJOULE_CU(cuMemsetD32(memory_->page(5), 7, 1));
  end_.emplace(snapshot_->memory(), nullptr);
  find_state();
  EXPECT_EQ(Indices({1}), memory_state_->verification().different);
}

TEST_F(Tracks, WhatTheHostWritesAfterTheIterationIsNoDifference) {
  kind_ = MemoryKind::managed;
  fill(0, 1);
  fill(1, 2);
  record();
  KJOULE_CU(cuMemsetD32(memory_->page(5), 7, 1));
  end_.emplace(snapshot_->memory(), nullptr);
  find_state();
  EXPECT_EQ(Indices(), memory_state_->verification().different);
}

TEST_F(Tracks, WhatTheHostWritesOverALaunchesResultIsADifference) {
  kind_ = MemoryKind::managed;
  fill(0, 1);
  fill(1, 2);
  record();
  KJOULE_CU(cuMemsetD32(memory_->page(0), 7, 1));
  end_.emplace(snapshot_->memory(), nullptr);
  find_state();
  EXPECT_EQ(Indices({0}), memory_state_->verification().different);
}

TEST_F(Tracks, LaunchesAreVaryingFromTheFirstOneThatGivesOtherBitsEachTime) {
  fill(0, 1);
  call("count", memory_->page(1), kFloatsOfPage);
  add(2, 1);
  record();
  KJOULE_CU(cuMemsetD32(memory_->page(0), 7, 1));
  end_.emplace(snapshot_->memory(), nullptr);
  find_state();
  EXPECT_EQ(Indices({0}), memory_state_->verification().different);
  EXPECT_EQ(Indices({1, 2}), memory_state_->verification().varying);
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(Tracks, InfinitiesThatTheProgramDidNotHaveAreNamed) {
  fill(0, 1);
  call("overflow", memory_->page(1), kFloatsOfPage);
  record();
  KJOULE_CU(cuMemsetD32(memory_->page(1), 0, kFloatsOfPage));
  end_.emplace(snapshot_->memory(), nullptr);
  find_state();
  EXPECT_EQ(Indices({1}), memory_state_->verification().different);
  EXPECT_EQ(Indices({1}), memory_state_->verification().non_finite);
}

TEST_F(Tracks, WhatALaunchLeavesStandsForIt) {
  fill(1, 5);
  add(2, 1);
  add(2, 1);
  fill(1, 0);
  record();
  find_state();
  write_sets_ = std::make_unique<WriteSets>(*kernels_, *memory_state_, calls_, nullptr);
  EXPECT_EQ(begin_, memory_->all());
  const auto leave = [&](LaunchIndex launch) {
    const PageCopies& copies = write_sets_->outputs_of(launch);
    const Buffer words = upload(copies.words());
    kernels_->copy(words.address(), static_cast<unsigned>(copies.to.size()), nullptr);
    KJOULE_CU(cuStreamSynchronize(nullptr));
  };
  leave(0);
  EXPECT_EQ(5, memory_->first(1));
  leave(1);
  EXPECT_EQ(5, memory_->first(2));
  leave(2);
  EXPECT_EQ(10, memory_->first(2));
  EXPECT_EQ(5, memory_->first(1));
  leave(3);
  EXPECT_EQ(0, memory_->first(1));
}

TEST_F(Tracks, SteadyWorkWithoutItsMarkedLaunchesLeavesWhatTheyWouldHaveLeft) {
  fill(1, 5);
  add(2, 1);
  fill(1, 0);
  record();
  find_state();
  write_sets_ = std::make_unique<WriteSets>(*kernels_, *memory_state_, calls_, nullptr);
  for (const bool left_out : {false, true}) {
    SteadyWork work;
    work.marked = {0, 1};
    work.left_out = left_out;
    SteadyTrack track(replay_context(), work);
    EXPECT_EQ(1u, replay(track, 3).seconds.size());
    EXPECT_EQ(begin_, memory_->all());
  }
}

TEST_F(Tracks, LaunchesOfSteadyWorkPauseEachTime) {
  fill(1, 5);
  fill(2, 6);
  record();
  find_state();
  SteadyTrack track(replay_context(), SteadyWork{.plain = 3, .only = {1}, .may_pause = true});
  track.pause(2e-3);
  EXPECT_GE(replay(track, 2).seconds.front(), 2 * 3 * 2e-3);
  EXPECT_EQ(6, memory_->first(2));
}

/// Two allocations of 5 and 3 pages. The last page of each is incomplete.
class PagesOfTwoAllocations : public Tracks {
 protected:
  void SetUp() override {
    Tracks::SetUp();
    first_ = Buffer(5 * kPageBytes);
    second_ = Buffer(3 * kPageBytes);
    KJOULE_CU(cuMemsetD8(first_.address(), 1, 5 * kPageBytes));
    KJOULE_CU(cuMemsetD8(second_.address(), 2, 3 * kPageBytes));
    paged_.emplace(*kernels_, std::vector<Allocation>{{first_.address(), 4 * kPageBytes + 16},
                                                      {second_.address(), 2 * kPageBytes + 1024}});
  }
  Buffer first_, second_;
  std::optional<PagedMemory> paged_;
};

TEST_F(PagesOfTwoAllocations, AreNumberedAcrossBoth) {
  EXPECT_EQ(8u, paged_->pages());
  EXPECT_EQ(first_.address() + 4 * kPageBytes, paged_->address_of(4));
  EXPECT_EQ(16u, paged_->bytes_of(4));
  EXPECT_EQ(second_.address(), paged_->address_of(5));
  EXPECT_EQ(kPageBytes, paged_->bytes_of(5));
  EXPECT_EQ(kPageBytes + 16 + 1024, paged_->bytes_of(unite(PageSet::range(3, 5), PageSet::range(7, 8))));
}

TEST_F(PagesOfTwoAllocations, AreFoundByTheirAddresses) {
  const uint64_t first = first_.address();
  const uint64_t second = second_.address();
  EXPECT_EQ(PageSet::range(1, 3), paged_->pages_within({{first + kPageBytes + 16, kPageBytes}}));
  EXPECT_EQ(PageSet::range(4, 5), paged_->pages_within({{first + 4 * kPageBytes, 16}}));
  EXPECT_EQ(PageSet(), paged_->pages_within({{first + 4 * kPageBytes + 16, 16}}));
  std::vector<Allocation> all{{first, 5 * kPageBytes}, {second, 3 * kPageBytes}};
  EXPECT_EQ(PageSet::range(0, 8), paged_->pages_within(merge_overlaps(all)));
}

TEST_F(PagesOfTwoAllocations, OnlyTheHashOfAPageThatChangesChanges) {
  std::vector<uint64_t> before = paged_->hashes(nullptr);
  EXPECT_EQ(before[0], before[3]);
  KJOULE_CU(cuMemsetD8(second_.address() + 2 * kPageBytes + 1023, 7, 1));  // the last byte
  KJOULE_CU(cuMemsetD8(first_.address() + 4 * kPageBytes + 16, 7, 1));     // beyond the first allocation
  std::vector<uint64_t> after = paged_->hashes(nullptr);
  EXPECT_NE(before[7], after[7]);
  before[7] = after[7];
  EXPECT_EQ(before, after);
}

TEST_F(PagesOfTwoAllocations, HashesDoNotDependOnTheMemoryThatIsFree) {
  const Buffer many(2000 * kPageBytes);
  KJOULE_CU(cuMemsetD8(many.address(), 3, 2000 * kPageBytes));
  KJOULE_CU(cuMemsetD8(many.address() + 1234 * kPageBytes, 4, 1));
  paged_->add({{many.address(), 2000 * kPageBytes}});
  const std::vector<uint64_t> at_once = paged_->hashes(nullptr);
  size_t free = 0, total = 0;
  KJOULE_CU(cuMemGetInfo(&free, &total));
  const Buffer others(free - 64 * kPageBytes);  // leaves memory for the values of 256 pages at a time
  EXPECT_EQ(at_once, paged_->hashes(nullptr));
  EXPECT_NE(at_once[8 + 1233], at_once[8 + 1234]);
}

TEST_F(PagesOfTwoAllocations, NeighboursOfLearntPagesArePredicted) {
  LearntPages learnt;
  learnt.add(*paged_, PageSet::range(2, 3));
  EXPECT_EQ(PageSet::range(2, 3), learnt.predict(*paged_, 0));
  EXPECT_EQ(PageSet::range(1, 4), learnt.predict(*paged_, 1));
  EXPECT_EQ(1, learnt.iterations());
}

TEST_F(PagesOfTwoAllocations, SomeOfTheImagesCanBeRestored) {
  for (const char* host_room : {"0", "100000"}) {  // images on the device, then in the host's memory
    setenv("KJOULE_HOST_ROOM", host_room, 1);
    std::optional<Buffer> others;
    size_t free = 0, total = 0;
    KJOULE_CU(cuMemGetInfo(&free, &total));
    if (host_room[0] != '0') others.emplace(free - kPageBytes);
    PageImages images(*kernels_);
    images.save(*paged_, PageSet::range(0, 8), "all", nullptr);
    EXPECT_EQ(host_room[0] == '0', images.bytes_on_host() == 0);
    const std::vector<uint64_t> before = paged_->hashes(nullptr);
    KJOULE_CU(cuMemsetD8(first_.address(), 9, 5 * kPageBytes));
    KJOULE_CU(cuMemsetD8(second_.address(), 9, 3 * kPageBytes));
    const std::vector<uint64_t> changed = paged_->hashes(nullptr);
    const PageSet some = unite(PageSet::range(3, 6), PageSet::range(7, 8));
    images.restore(some, nullptr);
    const std::vector<uint64_t> restored = paged_->hashes(nullptr);
    for (unsigned page = 0; page < 8; ++page)
      EXPECT_EQ(some.contains(page) ? before[page] : changed[page], restored[page]) << page;
    images.restore(nullptr);
    EXPECT_EQ(before, paged_->hashes(nullptr));
  }
  unsetenv("KJOULE_HOST_ROOM");
}

TEST_F(PagesOfTwoAllocations, AreRestoredToTheStateAfterTheIteration) {
  const std::vector<Allocation> allocations{{first_.address(), 4 * kPageBytes + 16},
                                            {second_.address(), 2 * kPageBytes + 1024}};
  Snapshot begin(*kernels_, allocations);
  begin.take(PageSet::range(0, 6), "the program's memory", nullptr);
  const auto change = [&](unsigned page, unsigned char value) {
    KJOULE_CU(cuMemsetD8(begin.memory().address_of(page), value, 16));
  };
  change(1, 5);  // by the iteration
  change(6, 5);
  const MemoryDigest digest(begin.memory(), nullptr);
  const IterationEnd end(*kernels_, begin, digest, nullptr);
  for (const unsigned page : {0, 1, 6}) change(page, 8);  // by replays
  EXPECT_EQ(PageSet(), end.restore(begin, nullptr));
  EXPECT_EQ(digest.hashes, begin.memory().hashes(nullptr));

  for (const unsigned page : {1, 7}) change(page, 9);
  const PageSet different = end.restore(begin, nullptr);
  EXPECT_EQ(PageSet::range(7, 8), different) << "it has no image";
  EXPECT_EQ(
      "1 page of its memory, in 1 place, could not be restored to the state after its own iteration, which "
      "had "
      "changed 0 of them",
      end.describe(different));
}

/// A program of whose memory the snapshot has images of some pages only, because the device has no space for
/// all.
class LearntTracks : public Tracks {
 protected:
  /// Page 1 is scratch memory that returns to its contents, page 2 a counter.
  void make_iteration() {
    fill(1, 5);
    add(2, 1);
    fill(1, 0);
  }
};

TEST_F(LearntTracks, WholeIterationsNeedOnlyPagesWithANetChange) {
  make_iteration();
  images_ = PageSet::range(2, 3);
  record();
  find_state();
  EXPECT_EQ(Pages({2}), restored_pages());
  StampedTrack track(replay_context(), {{0, 1, 2, 0, 1, 2}, {0, 5}});
  replay(track, 2);
  EXPECT_EQ(images_, memory_state_->snapshot().images().pages());
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(LearntTracks, WorkThatLeavesTheOrderNeedsScratchMemoryToo) {
  make_iteration();
  images_ = PageSet::range(2, 3);
  record();
  find_state();
  StampedTrack track(replay_context(), {{0, 1, 1}, {1, 2}});
  EXPECT_EQ(PageSet::range(1, 3), memory_state_->snapshot().images().pages());
  EXPECT_EQ(begin_, memory_->all());
  replay(track, 2);
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(LearntTracks, WriteSetsAreOfAllPagesThatLaunchesWrite) {
  make_iteration();
  images_ = PageSet::range(2, 3);
  record();
  find_state();
  memory_state_->save_written(calls_, nullptr);
  write_sets_ = std::make_unique<WriteSets>(*kernels_, *memory_state_, calls_, nullptr);
  EXPECT_EQ(std::vector<uint64_t>{memory_->page(1)}, write_sets_->outputs_of(0).to);
  EXPECT_EQ(std::vector<uint64_t>{memory_->page(2)}, write_sets_->outputs_of(1).to);
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(LearntTracks, APageThatOnlyReplaysChangeIsSavedAsItIsThen) {
  call("append", memory_->page(1), memory_->page(0));  // a counter in page 0 chooses the page
  images_ = PageSet::range(0, 2);
  record();
  find_state();
  EXPECT_EQ(Pages({0, 1, 2}), restored_pages()) << "the third replay reaches page 2";
  EXPECT_EQ(1, memory_->first(2));
  const std::vector<std::byte> with_page = memory_->all();
  StampedTrack track(replay_context(), {{0, 0, 0}, {0, 2}});
  replay(track, 2);
  EXPECT_EQ(with_page, memory_->all());
}

TEST_F(LearntTracks, WorkThatChangesFurtherPagesIsNoticed) {
  call("append", memory_->page(1), memory_->page(0));
  images_ = PageSet::range(0, 3);
  record();
  find_state();
  {
    StampedTrack track(replay_context(), {std::vector<LaunchIndex>(12), {0, 11}});  // up to page 5
    replay(track, 1);
  }
  EXPECT_FALSE(memory_state_->snapshot().images().pages().contains(5));
  memory_state_->settle(nullptr);
  EXPECT_EQ(PageSet::range(0, 6), memory_state_->snapshot().images().pages());
  EXPECT_EQ(1, memory_->first(5));
}

TEST_F(LearntTracks, ImagesElsewhereAreRestoredBetweenGraphs) {
  fill(1, 5);
  for (unsigned page = 2; page < 8; ++page) add(page, 1);
  images_ = PageSet::range(0, 8);
  setenv("KJOULE_HOST_ROOM", "8192", 1);
  size_t free = 0, total = 0;
  KJOULE_CU(cuMemGetInfo(&free, &total));
  const Buffer others(free - 5 * kPageBytes);  // leaves space for two images on the device
  record();
  EXPECT_GT(snapshot_->images().bytes_on_host(), 0u);
  EXPECT_GT(snapshot_->images().bytes_in_files(), 0u);
  find_state();
  unsetenv("KJOULE_HOST_ROOM");
  EXPECT_FALSE(memory_state_->restores_within_graphs());
  EXPECT_EQ(Indices(), memory_state_->verification().different);
  EXPECT_EQ(begin_, memory_->all());
  StampedTrack track(replay_context(), {{0, 1, 2, 3, 4, 5, 6}, {0, 6}});
  replay(track, 7);
  EXPECT_EQ(35, memory_->first(7)) << "restored after eight iterations";
  replay(track, 1);
  EXPECT_EQ(begin_, memory_->all());
  StampedTrack other(replay_context(), {{1, 1}, {0, 1}});
  replay(other, 1);
  EXPECT_EQ(begin_, memory_->all());
}

/// Scratch memory contains indices when the iteration begins and ends, and other values in between. If the
/// first launch is replayed on these other values, it faults.
class StampedTracks : public Tracks {
 protected:
  void SetUp() override {
    Tracks::SetUp();
    call("gather", memory_->page(3), memory_->page(2), memory_->page(1), kFloatsOfPage, kFloatsOfPage);
    fill(1, 5);
    add(2, 3);
    call("fill_indices", memory_->page(1), 7U, kFloatsOfPage, kFloatsOfPage);
    issue(calls_.back(), nullptr);
    KJOULE_CU(cuMemsetD32(memory_->page(2), 0x3f800000, kFloatsOfPage));
    record();
    find_state();
  }
};

TEST_F(StampedTracks, RestoresMemoryAfterWholeIterations) {
  StampedTrack track(replay_context(), {{0, 1, 2, 3, 0, 1, 2, 3}, {1, 3, 7}});
  const TrackTiming result = replay(track, 3);
  ASSERT_EQ(6u, result.seconds.size());
  for (const double seconds : result.seconds) EXPECT_GT(seconds, 1e-6);
  EXPECT_GT(result.seconds[1], result.seconds[0]);
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(StampedTracks, RestoresMemoryAfterAnIterationThatIsUnfinished) {
  StampedTrack track(replay_context(), {{0, 1, 2, 3, 0, 1}, {1, 5}});
  EXPECT_EQ(4u, replay(track, 4).seconds.size());
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(StampedTracks, RestoresAllMemoryAfterWorkThatLeavesTheOrder) {
  StampedTrack track(replay_context(), {{0, 1, 2, 2, 2}, {2, 3, 4}});
  EXPECT_EQ(4u, replay(track, 2).seconds.size());
  EXPECT_EQ(begin_, memory_->all());
  StampedTrack other(replay_context(), {{2, 1}, {0, 1}});
  replay(other, 1);
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(StampedTracks, TracksShareTheListOfCopiesThatRestoresMemory) {
  const auto device_bytes_of = [&](const std::vector<LaunchIndex>& launches) {
    size_t before = 0, after = 0, total = 0;
    KJOULE_CU(cuMemGetInfo(&before, &total));
    const StampedTrack track(replay_context(), {launches, {0, 1}});
    KJOULE_CU(cuMemGetInfo(&after, &total));
    return before - after;
  };
  // work in another order restores all memory, without a list of copies
  EXPECT_EQ(device_bytes_of({2, 1}), device_bytes_of({0, 1}));
}

TEST_F(StampedTracks, OverlappedIsTheDistanceOfTwoStamps) {
  OverlappedTrack track(replay_context());
  const TrackTiming result = replay(track, 3);
  ASSERT_EQ(3u, result.seconds.size());
  for (const double seconds : result.seconds) EXPECT_GT(seconds, 4e-6);
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(StampedTracks, TheDevicesRecordsOfAnUndisturbedIterationAddUpToIt) {
  StampedWork work{std::vector<LaunchIndex>(101 * calls_.size()), {3, 403}};
  for (size_t place = 0; place < work.launches.size(); ++place)
    work.launches[place] = static_cast<LaunchIndex>(place % calls_.size());
  StampedTrack track(replay_context(), work);
  const double iteration_s = replay(track, 1).seconds.at(0) / 100;

  setenv("KJOULE_CUPTI", STAND_IN_CUPTI, 1);
  const Cupti cupti([](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}, nullptr);
  ActivityLog log(cupti);
  const TimesInWhole times = times_in_whole(replay_context(), log);
  ASSERT_EQ(calls_.size(), times.launch_s.size());
  EXPECT_NEAR(1, std::accumulate(times.launch_s.begin(), times.launch_s.end(), 0.0) / iteration_s, 0.01);
  EXPECT_EQ(times.gaps_s, 0) << "the stand-in's launches follow each other at once";
  EXPECT_EQ(begin_, memory_->all());
}

TEST_F(StampedTracks, WorkThatWasNotEnqueuedCannotBeWaitedFor) {
  StampedTrack track(replay_context(), {{0, 1}, {0, 1}});
  EXPECT_THROW(track.wait(), Error);
}

TEST_F(Tracks, EmptyKernelsNeedNoState) {
  EmptyKernelsTrack few(replay_context(), {10});
  EmptyKernelsTrack many(replay_context(), {20});
  const double few_s = replay(few, 1).seconds.at(0);
  ASSERT_EQ(1u, replay(many, 1).seconds.size());
  EXPECT_NEAR(2, replay(many, 1).seconds.at(0) / few_s, 0.3);
}

TEST_F(Tracks, TheClocksStepsAreMeasured) {
  const ClockSteps steps = stamps_->measure_clock_steps();
  EXPECT_EQ(1, steps.shortest_ns);
  EXPECT_EQ(1, steps.mean_ns);
}

// This test makes the context of its process unusable, so it runs last or alone.
class Faulty : public Tracks {};

TEST_F(Faulty, ALaunchThatFaultsIsNamed) {
  fill(0, 1);
  call("gather", memory_->page(3), memory_->page(2), memory_->page(1), kFloatsOfPage, kFloatsOfPage);
  call("fill_indices", memory_->page(1), 7U, 2 * kFloatsOfPage, kFloatsOfPage);
  record();
  try {
    find_state();
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_EQ(LaunchIndex{1}, error.launch);
    EXPECT_TRUE(error.lost);
    EXPECT_NE(std::string::npos, std::string(error.what()).find("gather")) << error.what();
  }
}

}  // namespace

}  // namespace kjoule::cuda
