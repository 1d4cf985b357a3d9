#include "cuda/ranks/rank_peers.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "cuda/driver/check.hpp"
#include "cuda/ranks/apart.hpp"
#include "cuda/ranks/pending_idle.hpp"
#include "meeting_ptx.hpp"

namespace kjoule::cuda {

namespace {

/// Longest wait for another rank. Below the 20 s after which kjoule gives up ranks without progress, because
/// this error says more.
constexpr std::chrono::seconds kApart{15};
/// Longest wait for a rank that restores its memory.
constexpr std::chrono::seconds kParting{60};
constexpr auto kLook = std::chrono::microseconds(20);

constexpr size_t signal_bytes() {
  return kMostRanks * RankBoard::kSignalWords * sizeof(uint32_t);
}

}  // namespace

RankPeers::RankPeers(RankBoard& board, uint32_t rank)
    : board_(board),
      rank_(rank),
      position_(board.position(rank)),
      members_(board.members()),
      module_(kMeetingPtx),
      meet_(module_.function(kMeetingName)),
      compare_(module_.function("kjoule_compare_clocks")),
      counts_(2 * sizeof(unsigned)) {
  KJOULE_CU(cuMemsetD32(counts_.address(), 0, 2));
  std::fill_n(board.signals() + position_ * RankBoard::kSignalWords, RankBoard::kSignalWords, 0);
  registration_.emplace(board.signals(), signal_bytes());
  KJOULE_CU(cuMemHostGetDevicePointer(&signals_, board.signals(), 0));
  board_.vote(rank_, false);
  // No GPU may signal before the counters of all ranks are 0.
  const auto begin = std::chrono::steady_clock::now();
  await_votes([&] {
    if (std::chrono::steady_clock::now() - begin > kApart)
      throw_apart(board_, "another rank did not reach it within 15 s");
  });
}

RankPeers::Registration::Registration(void* memory, size_t bytes) : memory_(memory) {
  KJOULE_CU(cuMemHostRegister(memory, bytes, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
}

bool RankPeers::await_votes(const std::function<void()>& while_waiting) const {
  for (;;) {
    if (const auto answer = board_.count_votes(rank_)) return *answer;
    throw_if_given_up(board_);
    while_waiting();
    std::this_thread::sleep_for(kLook);
  }
}

bool RankPeers::part(bool failed) {
  board_.part(rank_, ++parted_, failed);
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    if (const auto any_failed = board_.has_failed_at(parted_)) return *any_failed;
    if (std::chrono::steady_clock::now() - begin > kParting)
      throw Error("another rank of the program did not return to it within 60 s");
    std::this_thread::sleep_for(kLook);
  }
}

void RankPeers::drain() {
  if (!PendingIdle().wait_for(kApart))
    throw_apart(board_, "the GPU of a rank did not complete its work within 15 s");
  meet();  // the last messages of a peer change the memory of this rank
}

void RankPeers::meet_in(CUstream stream) {
  CUdeviceptr place = counts_.address();
  std::array<void*, 4> arguments{&signals_, &place, &position_, &members_};
  KJOULE_CU(cuLaunchKernel(meet_, 1, 1, 1, kMostRanks, 1, 1, 0, stream, arguments.data(), nullptr));
}

void RankPeers::prepare_links() {
  if (!links_) links_.emplace(board_, rank_, [this] { meet(); });
}

void RankPeers::compare_clocks_in(CUstream stream, CUdeviceptr results) {
  CUdeviceptr seen = counts_.address() + sizeof(unsigned);
  std::array<void*, 5> arguments{&signals_, &seen, &position_, &members_, &results};
  KJOULE_CU(cuLaunchKernel(compare_, 1, 1, 1, 1, 1, 1, 0, stream, arguments.data(), nullptr));
}

bool RankPeers::any(bool mine) {
  board_.vote(rank_, mine);
  return await_votes([] {});
}

}  // namespace kjoule::cuda
