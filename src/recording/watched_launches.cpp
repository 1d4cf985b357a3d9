#include "recording/watched_launches.hpp"

namespace kjoule {

void WatchedLaunches::add(const WatchedLaunch& launch) {
  size_t at = in_last_.load(std::memory_order_relaxed);
  if (at == kPiece) {
    const MutexLock lock(mutex_);
    if (pieces_.size() == kMost / kPiece) pieces_.pop_front();
    pieces_.push_back(std::make_shared_for_overwrite<Piece>());
    last_ = pieces_.back().get();
    in_last_.store(0, std::memory_order_relaxed);
    at = 0;
  }
  (*last_)[at] = launch;
  in_last_.store(at + 1, std::memory_order_release);
}

std::vector<WatchedLaunch> WatchedLaunches::launches() const {
  std::deque<std::shared_ptr<Piece>> pieces;
  size_t in_last = 0;
  {
    const MutexLock lock(mutex_);
    pieces = pieces_;
    in_last = in_last_.load(std::memory_order_acquire);
  }
  std::vector<WatchedLaunch> launches;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const size_t count = i + 1 < pieces.size() ? kPiece : in_last;
    launches.insert(launches.end(), pieces[i]->begin(), pieces[i]->begin() + static_cast<ptrdiff_t>(count));
  }
  return launches;
}

WatchedLaunches::Extent WatchedLaunches::extent() const {
  const MutexLock lock(mutex_);
  const size_t in_last = in_last_.load(std::memory_order_acquire);
  if (pieces_.empty() || in_last == 0) return {};
  const WatchedLaunch& last = (*pieces_.back())[in_last - 1];
  return {(pieces_.size() - 1) * kPiece + in_last, last.time_ns - pieces_.front()->front().time_ns};
}

void WatchedLaunches::clear() {
  const MutexLock lock(mutex_);
  pieces_.clear();
  in_last_.store(kPiece, std::memory_order_relaxed);
}

}  // namespace kjoule
