#include "device/rank_board.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace kjoule {

namespace {

[[noreturn]] void throw_refused(const char* call) {
  throw Error(
      fmt::format("the memory that the processes of the program share with kjoule could not be created "
                  "({}: {})",
                  call, std::strerror(errno)),
      "measure one process with --rank R");
}

}  // namespace

uint32_t RankBoard::come() {
  const uint32_t number = came_++;
  if (number >= kMostRanks)
    throw Error(fmt::format("the program has more than {} processes with work for a GPU", kMostRanks),
                "measure one process with --rank R");
  return number;
}

uint32_t RankBoard::followers() const {
  return static_cast<uint32_t>(
      std::ranges::count_if(ranks_, [](const Rank& rank) { return rank.follows.load(); }));
}

uint64_t RankBoard::most_collectives() const {
  uint64_t most = 0;
  for (uint32_t rank = 0; rank < kMostRanks; ++rank)
    if (takes_part(rank)) most = std::max(most, ranks_[rank].collectives.load());
  return most;
}

std::vector<FollowerProgress> RankBoard::progress_of_followers() const {
  std::vector<FollowerProgress> all;
  for (uint32_t rank = 0; rank < kMostRanks; ++rank) {
    if (!follows(rank)) continue;
    const uint64_t loop = ranks_[rank].loop;
    all.push_back({rank, ranks_[rank].collectives, {}});
    if (loop > 0) all.back().of_iteration = loop - 1;
  }
  return all;
}

void RankBoard::announce(const SharedCut& cut) {
  uint64_t members = 0;
  for (uint32_t rank = 0; rank < kMostRanks; ++rank)
    if (takes_part(rank)) members |= uint64_t{1} << rank;
  announce_to(members, cut);
}

void RankBoard::announce_for(const SharedCut& cut, uint32_t leader, const std::vector<uint32_t>& others) {
  uint64_t members = uint64_t{1} << leader;
  for (const uint32_t rank : others) members |= uint64_t{1} << rank;
  announce_to(members, cut);
}

void RankBoard::announce_to(uint64_t members, const SharedCut& cut) {
  for (Rank& rank : ranks_) {
    rank.rests_in = 0;
    rank.parts = 0;
  }
  members_ = members;
  rounds_ = 0;
  cuts_[(announcements_ + 1) % 2] = cut;
  decide(Decision::cut);
}

void RankBoard::decide(Decision decision) {
  if (decision_ == Decision::given_up) return;
  decision_ = decision;
  ++announcements_;
}

uint32_t RankBoard::members() const {
  return static_cast<uint32_t>(std::popcount(members_.load()));
}

uint32_t RankBoard::position(uint32_t rank) const {
  return static_cast<uint32_t>(std::popcount(members_ & ((uint64_t{1} << rank) - 1)));
}

void RankBoard::vote(uint32_t rank, bool yes) {
  Rank& own = ranks_[rank];
  const uint32_t question = own.questions + 1;
  // A rank is at most one question ahead of the others, so the vote before the last one was counted.
  own.votes[question % 2] = yes;
  own.questions = question;
}

std::optional<bool> RankBoard::count_votes(uint32_t rank) const {
  const uint32_t question = ranks_[rank].questions;
  bool answer = false;
  for (uint32_t other = 0; other < kMostRanks; ++other) {
    if (!is_member(other)) continue;
    if (static_cast<int32_t>(ranks_[other].questions - question) < 0) return {};
    answer = answer || ranks_[other].votes[question % 2];
  }
  return answer;
}

std::optional<bool> RankBoard::has_failed_at(uint32_t stage) const {
  bool failed = false;
  for (uint32_t rank = 0; rank < kMostRanks; ++rank) {
    if (!is_member(rank)) continue;
    const uint32_t parts = ranks_[rank].parts;
    if (parts / 2 < stage) return {};
    failed = failed || parts % 2 != 0;
  }
  return failed;
}

bool RankBoard::all_rest() {
  uint32_t round = rounds_;
  if ((round & kAllRest) != 0) return true;
  for (uint32_t rank = 0; rank < kMostRanks; ++rank)
    if (is_member(rank) && ranks_[rank].rests_in != round + 1) return false;
  return rounds_.compare_exchange_strong(round, round | kAllRest);
}

uint64_t RankBoard::steps() const {
  uint64_t all = 0;
  for (const Rank& rank : ranks_) all += rank.collectives + rank.rests_in + rank.questions + rank.steps;
  return all;
}

SharedRankBoard::SharedRankBoard() : file_(memfd_create("kjoule-ranks", MFD_CLOEXEC)) {
  if (file_ < 0) throw_refused("memfd_create");
  if (ftruncate(file_, sizeof(RankBoard)) != 0) throw_refused("ftruncate");
  map();
}

SharedRankBoard::SharedRankBoard(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {
  if (file_ < 0) throw_refused("open");
  struct stat file {};
  if (fstat(file_, &file) != 0 || file.st_size != sizeof(RankBoard))
    throw Error(path + " is not memory that this version of kjoule shares with the program's processes",
                "use kjoule and libkjoule_inject.so of the same build");
  map();
}

void SharedRankBoard::map() {
  void* memory = mmap(nullptr, sizeof(RankBoard), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED) throw_refused("mmap");
  // A new file is zero, which is an empty board.
  board_ = static_cast<RankBoard*>(memory);
}

SharedRankBoard::~SharedRankBoard() {
  if (board_ != nullptr) munmap(board_, sizeof(RankBoard));
  if (file_ >= 0) close(file_);
}

std::string SharedRankBoard::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), file_);
}

}  // namespace kjoule
