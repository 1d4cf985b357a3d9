#include "cuda/ranks/rank_peers.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "base/error.hpp"
#include "base/process/quiet_thread.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/driver/thread_state.hpp"
#include "device/device.hpp"
#include "meeting_ptx.hpp"

namespace kjoule::cuda {

namespace {

constexpr std::chrono::seconds kApart{10};
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
      place_(sizeof(unsigned)) {
  KJOULE_CU(cuMemsetD32(place_.address(), 0, 1));
  board.signals()[position_ * RankBoard::kSignalWords] = 0;
  KJOULE_CU(cuMemHostRegister(board.signals(), signal_bytes(),
                              CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
  KJOULE_CU(cuMemHostGetDevicePointer(&signals_, board.signals(), 0));
  board_.vote(rank_, false);
  // No GPU may signal before all ranks have begun at 0.
  const auto begin = std::chrono::steady_clock::now();
  await_votes([&] {
    if (std::chrono::steady_clock::now() - begin > kApart) throw_apart("another rank did not come to it");
  });
}

bool RankPeers::await_votes(const std::function<void()>& while_waiting) const {
  for (;;) {
    if (board_.decision() == RankBoard::Decision::given_up)
      throw DeviceError(kAnotherRankFailed, "the error of that rank says more; earlier results are kept", {},
                        true);
    if (const auto answer = board_.count_votes(rank_)) return *answer;
    while_waiting();
    std::this_thread::sleep_for(kLook);
  }
}

void RankPeers::throw_apart(const char* what) {
  board_.give_up();
  throw Error(
      fmt::format("the ranks of the program could not be paused at the same iteration: within {} s {}",
                  kApart.count(), what),
      "choose the iteration with --range NAME, or one process with --rank R");
}

void RankPeers::drain() {
  // The thread is left to itself if the device does not come to an end.
  const auto done = std::make_shared<std::promise<CUresult>>();
  std::future<CUresult> result = done->get_future();
  CUcontext context = nullptr;
  KJOULE_CU(cuCtxGetCurrent(&context));
  start_quiet_thread([done, context] {
    thread_state.exempt = true;
    const CUresult current = cuCtxSetCurrent(context);
    done->set_value(current == CUDA_SUCCESS ? cuCtxSynchronize() : current);
  }).detach();
  if (result.wait_for(kApart) != std::future_status::ready) throw_apart("a GPU did not complete its work");
  check(result.get(), "cuCtxSynchronize");
  meet();  // the last messages of a peer change the memory of this rank
}

RankPeers::~RankPeers() {
  cuMemHostUnregister(board_.signals());
}

void RankPeers::meet_in(CUstream stream) {
  CUdeviceptr place = place_.address();
  std::array<void*, 4> arguments{&signals_, &place, &position_, &members_};
  KJOULE_CU(cuLaunchKernel(meet_, 1, 1, 1, kMostRanks, 1, 1, 0, stream, arguments.data(), nullptr));
}

bool RankPeers::any(bool mine) {
  board_.vote(rank_, mine);
  return await_votes([] {});
}

}  // namespace kjoule::cuda
