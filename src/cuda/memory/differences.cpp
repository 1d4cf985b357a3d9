#include "cuda/memory/differences.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "cuda/driver/captured_graph.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/memory/image_room.hpp"

namespace kjoule::cuda {

namespace {

constexpr unsigned kUnmarked = ~0u;

/// Returns whether a page has gained more non-finite values than is plausible by chance. By chance, halves of
/// 32-bit numbers look non-finite when they are read as 16-bit floats.
bool many_more(const NonFinite& now, const NonFinite& before) {
  constexpr uint32_t kSingles = kPageBytes / sizeof(float) / 16;
  constexpr uint32_t kHalves = kPageBytes / sizeof(uint16_t) / 16;
  return now.single > before.single + kSingles || now.half > before.half + kHalves;
}

/// Continuous copies of kjoule's own memory on a second stream. They occupy multiprocessors, so that the
/// blocks of the replayed launches run in another order.
///
/// The copies are launched as graphs, because kernels issued into a second stream would slow the device down
/// permanently (BusiestStream).
class Disturbance {
 public:
  explicit Disturbance(const PageKernels& kernels)
      : half_(std::min(kMostBytes, ImageRoom().device / 2) / kPageBytes * kPageBytes), bytes_(2 * half_) {
    KJOULE_CU(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
    copy_.emplace(stream_,
                  [&] { kernels.copy_run(bytes_.address(), bytes_.address() + half_, half_, stream_); });
  }
  ~Disturbance() {
    cuStreamSynchronize(stream_);
    cuStreamDestroy(stream_);
  }
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;
  void launch() const { check(copy_->launch(stream_), "cuGraphLaunch"); }

 private:
  static constexpr uint64_t kMostBytes = 4 << 20;
  uint64_t half_;
  Buffer bytes_;
  CUstream stream_ = nullptr;
  std::optional<CapturedGraph> copy_;
};

}  // namespace

Differences::Differences(const PageKernels& kernels, const MemoryState& state, const std::vector<Call>& calls,
                         const std::vector<uint64_t>& once, const MemoryDigest& end, CUstream stream)
    : kernels_(kernels), state_(state), calls_(calls), stream_(stream) {
  const PagedMemory& memory = state.snapshot().memory();
  PageList list;
  for (unsigned page = 0; page < memory.pages(); ++page) {
    if (once[page] == end.hashes[page]) continue;
    if (end.is_undefined(memory.address_of(page), memory.bytes_of(page))) continue;
    list.add(memory.address_of(page), memory.bytes_of(page));
    pages_.push_back(page);
    replayed_hashes_.push_back(once[page]);
  }
  if (!state.peers().any(!pages_.empty())) return;  // all ranks must replay if one has differences
  words_ = upload(list.words());
  marks_ = Buffer(pages_.size() * sizeof(unsigned));
  find_writers();
  find_non_finite(end);
  find_varying();
}

void Differences::mark_changed(unsigned mark) const {
  if (pages_.empty()) return;
  kernels_.mark_changed(words_.address(), static_cast<unsigned>(pages_.size()), mark, hashes_.address(),
                        marks_.address(), stream_);
}

void Differences::find_writers() {
  hashes_ = Buffer(pages_.size() * sizeof(uint64_t));
  mark_changed(0);  // stores the hashes of the snapshot
  if (!pages_.empty()) KJOULE_CU(cuMemsetD32Async(marks_.address(), kUnmarked, pages_.size(), stream_));
  for (unsigned launch = 0; launch < calls_.size(); ++launch) {
    issue(calls_[launch], stream_);
    mark_changed(launch);
  }
  KJOULE_CU(cuStreamSynchronize(stream_));
  last_writer_ = read_back<LaunchIndex>(marks_, pages_.size());
  const PagedMemory& memory = state_.snapshot().memory();
  for (size_t i = 0; i < pages_.size(); ++i)
    by_host_.push_back(last_writer_[i] == LaunchIndex{kUnmarked} && memory.is_open_to_host(pages_[i]));
  // A page that no replayed launch wrote, and that the host may not write, was written by an operation that
  // was not recorded. It is attributed to the last launch.
  std::replace(last_writer_.begin(), last_writer_.end(), LaunchIndex{kUnmarked},
               static_cast<LaunchIndex>(calls_.size() - 1));
}

/// The memory must be as find_writers() left it after its replay.
void Differences::find_non_finite(const MemoryDigest& end) {
  const std::vector<NonFinite> now = state_.snapshot().memory().non_finite(stream_);
  for (const unsigned page : pages_) many_non_finite_.push_back(many_more(now[page], end.non_finite[page]));
}

void Differences::find_varying() {
  // With fewer replays if images must be restored from the host's memory, which takes seconds.
  const unsigned few = state_.restores_within_graphs() ? 8 : 3;
  const unsigned most = state_.restores_within_graphs() ? 32 : 5;
  hashes_ = upload(replayed_hashes_);
  if (!pages_.empty()) KJOULE_CU(cuMemsetD32Async(marks_.address(), kUnmarked, pages_.size(), stream_));
  std::vector<unsigned> marks;
  const auto marked = [](unsigned mark) { return mark != kUnmarked; };
  // Without other work on the device, sums that depend on the order of blocks seldom differ.
  std::optional<Disturbance> others;
  for (unsigned replay = 0; replay < most; ++replay) {
    if (replay >= few && state_.peers().any(std::any_of(marks.begin(), marks.end(), marked))) break;
    if (replay == few) others.emplace(kernels_);
    state_.restore_net_changed(stream_);
    for (const Call& call : calls_) {
      if (others) others->launch();
      issue(call, stream_);
    }
    state_.peers().meet_in(stream_);
    mark_changed(replay);
    KJOULE_CU(cuStreamSynchronize(stream_));
    state_.peers().advance();
    marks = read_back<unsigned>(marks_, pages_.size());
  }
  state_.restore_snapshot(stream_);
  for (const unsigned mark : marks) varies_.push_back(marked(mark));
}

Verification Differences::verification() const {
  std::set<LaunchIndex> varying, different, non_finite;
  for (size_t i = 0; i < pages_.size(); ++i)
    if (varies_[i] && !by_host_[i]) varying.insert(last_writer_[i]);
  const LaunchIndex first_varying =
      varying.empty() ? static_cast<LaunchIndex>(calls_.size()) : *varying.begin();
  for (size_t i = 0; i < pages_.size(); ++i) {
    if (by_host_[i]) continue;
    const LaunchIndex launch = last_writer_[i];
    if (launch >= first_varying) {
      varying.insert(launch);
      continue;
    }
    different.insert(launch);
    if (many_non_finite_[i]) non_finite.insert(launch);
  }
  Verification result;
  result.launches = static_cast<int>(calls_.size());
  result.different.assign(different.begin(), different.end());
  result.varying.assign(varying.begin(), varying.end());
  result.non_finite.assign(non_finite.begin(), non_finite.end());
  return result;
}

}  // namespace kjoule::cuda
