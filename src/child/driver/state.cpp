#include "state.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "check.hpp"
#include "child/inject/schedule.hpp"
#include "play/device.hpp"

namespace kjoule::driver {

namespace {

constexpr size_t kArenaBytes = size_t{256} << 20;

template <typename T>
std::vector<T> read_back(CUdeviceptr address, size_t count) {
  std::vector<T> values(count);
  if (count > 0) KJOULE_CU(cuMemcpyDtoH(values.data(), address, count * sizeof(T)));
  return values;
}

Buffer uploaded(const std::vector<uint64_t>& words) {
  Buffer buffer(words.size() * sizeof(uint64_t));
  if (!words.empty())
    KJOULE_CU(cuMemcpyHtoD(buffer.address(), words.data(), words.size() * sizeof(uint64_t)));
  return buffer;
}

/// More than what the halves of other numbers look like by chance.
bool many_more(const MemoryMarks::NonFinite& now, const MemoryMarks::NonFinite& before) {
  constexpr uint32_t kSingles = inject::kPageBytes / sizeof(float) / 16;
  constexpr uint32_t kHalves = inject::kPageBytes / sizeof(uint16_t) / 16;
  return now.single > before.single + kSingles || now.half > before.half + kHalves;
}

/// Waits for the copies.
void copy_now(const PageKernels& kernels, const PageCopies& copies, CUstream stream) {
  const Buffer words = uploaded(copies.words());
  kernels.copy(words.address(), static_cast<unsigned>(copies.to.size()), stream);
  KJOULE_CU(cuStreamSynchronize(stream));
}

}  // namespace

Snapshot::Snapshot(const PageKernels& kernels, std::vector<inject::Range> ranges)
    : kernels_(kernels), ranges_(std::move(ranges)) {
  for (const inject::Range& range : ranges_) {
    first_.push_back(pages_);
    pages_ += static_cast<unsigned>(range.pages());
  }
  copy_ = Buffer(pages_ * inject::kPageBytes);
  for (size_t r = 0; r < ranges_.size(); ++r)
    kernels_.copy_run(copy_.address() + first_[r] * inject::kPageBytes, ranges_[r].address, ranges_[r].bytes,
                      nullptr);
  KJOULE_CU(cuCtxSynchronize());
}

size_t Snapshot::range_of(unsigned page) const {
  const auto next = std::upper_bound(first_.begin(), first_.end(), uint64_t{page});
  return static_cast<size_t>(next - first_.begin()) - 1;
}

uint64_t Snapshot::address_of(unsigned page) const {
  const size_t range = range_of(page);
  return ranges_[range].address + (page - first_[range]) * inject::kPageBytes;
}

uint64_t Snapshot::bytes_of(unsigned page) const {
  const size_t range = range_of(page);
  return std::min<uint64_t>(inject::kPageBytes,
                            ranges_[range].bytes - (page - first_[range]) * inject::kPageBytes);
}

uint64_t Snapshot::copy_of(unsigned page) const {
  return copy_.address() + page * inject::kPageBytes;
}

void Snapshot::hash_now(CUdeviceptr hashes, CUstream stream) const {
  for (size_t r = 0; r < ranges_.size(); ++r)
    kernels_.hash(ranges_[r], hashes + first_[r] * sizeof(uint64_t), stream);
}

void Snapshot::count_non_finite_now(CUdeviceptr counts, CUstream stream) const {
  for (size_t r = 0; r < ranges_.size(); ++r)
    kernels_.count_non_finite(ranges_[r], counts + first_[r] * sizeof(MemoryMarks::NonFinite), stream);
}

MemoryMarks::MemoryMarks(const Snapshot& snapshot, CUstream stream) {
  const Buffer hashed(snapshot.pages() * sizeof(uint64_t));
  const Buffer counted(snapshot.pages() * sizeof(NonFinite));
  snapshot.hash_now(hashed.address(), stream);
  snapshot.count_non_finite_now(counted.address(), stream);
  KJOULE_CU(cuStreamSynchronize(stream));
  hashes = read_back<uint64_t>(hashed.address(), snapshot.pages());
  non_finite = read_back<NonFinite>(counted.address(), snapshot.pages());
}

void Snapshot::put_back(CUstream stream) const {
  for (size_t r = 0; r < ranges_.size(); ++r)
    kernels_.copy_run(ranges_[r].address, copy_.address() + first_[r] * inject::kPageBytes, ranges_[r].bytes,
                      stream);
}

/// The snapshot follows the launches: it always holds the memory as it was before the launch at hand.
struct State::Search {
  Snapshot shadow;
  Buffer before, after, changed, count;
  std::unordered_map<unsigned, LaunchIndex> last_writer;
  std::map<unsigned, LaunchIndex> different;  ///< pages that came out otherwise, and who wrote them
  std::vector<uint64_t> replayed;             ///< hashes after the launches were played once
  explicit Search(Snapshot snapshot)
      : shadow(std::move(snapshot)),
        before(shadow.pages() * sizeof(uint64_t)),
        after(shadow.pages() * sizeof(uint64_t)),
        changed(shadow.pages() * sizeof(unsigned)),
        count(sizeof(unsigned)) {}
};

/// Copies of our own, on a stream of their own: launches beside them find other processors free.
class Disturbance {
 public:
  explicit Disturbance(const PageKernels& kernels) : kernels_(kernels), bytes_(2 * kBytes) {
    KJOULE_CU(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
  }
  ~Disturbance() {
    cuStreamSynchronize(stream_);
    cuStreamDestroy(stream_);
  }
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;
  void go_on() const { kernels_.copy_run(bytes_.address(), bytes_.address() + kBytes, kBytes, stream_); }

 private:
  static constexpr size_t kBytes = 4 << 20;
  const PageKernels& kernels_;
  Buffer bytes_;
  CUstream stream_ = nullptr;
};

State::State(const PageKernels& kernels, Snapshot snapshot, const std::vector<Call>& calls,
             const MemoryMarks& end, CUstream stream)
    : kernels_(kernels), seen_(snapshot.pages(), 0), search_(std::make_unique<Search>(std::move(snapshot))) {
  search_->shadow.put_back(stream);
  search_->shadow.hash_now(search_->before.address(), stream);
  const size_t states =
      calls.size() + static_cast<size_t>(inject::states_beyond(static_cast<int>(calls.size())));
  for (size_t position = 0; position < states; ++position) {
    if (position == calls.size()) compare(end, calls.size(), stream);
    const auto launch = static_cast<LaunchIndex>(position % calls.size());
    try {
      play_and_keep(calls[launch], stream);
    } catch (const DeviceError& error) {
      throw DeviceError("launch " + std::to_string(launch) + " (" + readable_name(calls[launch]) + ", " +
                            shape_of(calls[launch]) + ") failed when replayed: " + error.what(),
                        error.remedy(), launch, error.lost);
    }
  }
  copy_now(kernels_, back(static_cast<int>(states), 0), stream);
  tell_varying_apart(calls, stream);
  search_.reset();
}

State::~State() = default;

uint64_t State::room_for_image() {
  if (arena_.empty() || arena_used_ + inject::kPageBytes > kArenaBytes) {
    arena_.emplace_back(kArenaBytes);
    arena_used_ = 0;
  }
  const uint64_t address = arena_.back().address() + arena_used_;
  arena_used_ += inject::kPageBytes;
  return address;
}

void State::play_and_keep(const Call& call, CUstream stream) {
  Search& s = *search_;
  issue(call, stream);
  s.shadow.hash_now(s.after.address(), stream);
  KJOULE_CU(cuMemsetD32Async(s.count.address(), 0, 1, stream));
  kernels_.changed(s.before.address(), s.after.address(), s.shadow.pages(), s.changed.address(),
                   s.count.address(), stream);
  KJOULE_CU(cuStreamSynchronize(stream));
  const unsigned count = read_back<unsigned>(s.count.address(), 1).front();
  std::vector<unsigned> pages = read_back<unsigned>(s.changed.address(), count);
  std::sort(pages.begin(), pages.end());
  Written written;
  PageCopies keep;
  PageCopies follow;
  const auto launch = static_cast<LaunchIndex>(written_.size());
  for (const unsigned page : pages) {
    const uint64_t address = s.shadow.address_of(page);
    const uint64_t bytes = s.shadow.bytes_of(page);
    const uint64_t image = room_for_image();
    keep.add(image, s.shadow.copy_of(page), bytes);
    follow.add(s.shadow.copy_of(page), address, bytes);
    written.pages.push_back(address);
    written.images.push_back(image);
    written.bytes.push_back(static_cast<uint32_t>(bytes));
    s.last_writer[page] = launch;
  }
  written.numbers = std::move(pages);
  copy_now(kernels_, keep, stream);
  copy_now(kernels_, follow, stream);
  written_.push_back(std::move(written));
}

void State::compare(const MemoryMarks& original, size_t launches, CUstream stream) {
  MemoryMarks replayed(search_->shadow, stream);
  std::set<LaunchIndex> non_finite;
  for (unsigned page = 0; page < search_->shadow.pages(); ++page) {
    if (replayed.hashes[page] == original.hashes[page]) continue;
    // a page that no replayed launch wrote was written by something that was not recorded: the last launch
    // stands for it
    const auto writer = search_->last_writer.find(page);
    const LaunchIndex launch =
        writer == search_->last_writer.end() ? static_cast<LaunchIndex>(launches - 1) : writer->second;
    search_->different.emplace(page, launch);
    if (many_more(replayed.non_finite[page], original.non_finite[page])) non_finite.insert(launch);
  }
  non_finite_.assign(non_finite.begin(), non_finite.end());
  search_->replayed = std::move(replayed.hashes);
}

void State::tell_varying_apart(const std::vector<Call>& calls, CUstream stream) {
  constexpr int kReplays = 8, kMostReplays = 32;
  std::set<LaunchIndex> varying;
  std::optional<Disturbance> others;  // sums in whatever order blocks come in seldom differ on a quiet device
  for (int replay = 0; replay < kMostReplays && !search_->different.empty(); ++replay) {
    if (replay >= kReplays && !varying.empty()) break;
    if (replay == kReplays) others.emplace(kernels_);
    for (const Call& call : calls) {
      if (others) others->go_on();
      issue(call, stream);
    }
    const MemoryMarks again(search_->shadow, stream);
    for (const auto& [page, launch] : search_->different)
      if (again.hashes[page] != search_->replayed[page]) varying.insert(launch);
    copy_now(kernels_, back(static_cast<int>(calls.size()), 0), stream);
  }
  std::set<LaunchIndex> different;
  for (const auto& [page, launch] : search_->different)
    (varying.empty() || launch < *varying.begin() ? different : varying).insert(launch);
  std::erase_if(non_finite_, [&](LaunchIndex launch) { return varying.contains(launch); });
  different_.assign(different.begin(), different.end());
  varying_.assign(varying.begin(), varying.end());
}

void State::keep_what_is_left(const std::vector<Call>& calls, CUstream stream) {
  if (kept_what_is_left_) return;
  kept_what_is_left_ = true;
  for (int position = 0; position < states(); ++position)
    issue(calls[static_cast<size_t>(position) % calls.size()], stream);
  // what a launch left stands until the next one that writes the page, which kept it
  std::unordered_map<unsigned, uint64_t> left;
  PageCopies keep;
  for (size_t launch = written_.size(); launch-- > 0;) {
    Written& written = written_[launch];
    for (size_t i = 0; i < written.numbers.size(); ++i) {
      auto [found, last] = left.try_emplace(written.numbers[i], 0);
      if (last) {
        found->second = room_for_image();
        keep.add(found->second, written.pages[i], written.bytes[i]);
      }
      written.left.push_back(found->second);
      found->second = written.images[i];
    }
  }
  copy_now(kernels_, keep, stream);
  copy_now(kernels_, back(states(), 0), stream);
}

PageCopies State::left_by(LaunchIndex launch) const {
  const Written& written = written_.at(launch);
  PageCopies copies;
  for (size_t i = 0; i < written.numbers.size(); ++i)
    copies.add(written.pages[i], written.left.at(i), written.bytes[i]);
  return copies;
}

PageCopies State::back(int from, int to) const {
  ++calls_of_back_;
  PageCopies copies;
  // the earliest position that wrote a page knows what stood there in state `to`
  for (int position = to; position < from; ++position) {
    const Written& written = written_[static_cast<size_t>(position)];
    for (size_t i = 0; i < written.numbers.size(); ++i) {
      unsigned& seen = seen_[written.numbers[i]];
      if (seen == calls_of_back_) continue;
      seen = calls_of_back_;
      copies.add(written.pages[i], written.images[i], written.bytes[i]);
    }
  }
  return copies;
}

}  // namespace kjoule::driver
