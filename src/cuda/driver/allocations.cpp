#include "cuda/driver/allocations.hpp"

#include <algorithm>

namespace kjoule::cuda {

namespace {

constexpr uint64_t kUnit = 16;

uint64_t in_whole_units(uint64_t bytes) {
  return (bytes + kUnit - 1) / kUnit * kUnit;
}

}  // namespace

Allocation round_up(Allocation allocation) {
  const uint64_t begin = allocation.address / kUnit * kUnit;
  return {begin, in_whole_units(allocation.end() - begin), allocation.kind};
}

void Allocations::add(const Allocation& allocation, const void* owner) {
  last_found_ = nullptr;
  if (allocation.bytes > 0) by_address_[allocation.address] = {allocation, owner};
}

std::vector<uint64_t> Allocations::remove_if(
    const std::function<bool(const Allocation&, const void*)>& is_gone) {
  last_found_ = nullptr;
  std::vector<uint64_t> removed;
  std::erase_if(by_address_, [&](const auto& known) {
    const auto& [address, owned] = known;
    if (!is_gone(owned.allocation, owned.owner)) return false;
    removed.push_back(address);
    return true;
  });
  return removed;
}

std::vector<Allocation> Allocations::remove(uint64_t address, uint64_t bytes) {
  last_found_ = nullptr;
  std::vector<Allocation> removed;
  const auto first = by_address_.lower_bound(address);
  auto last = first;
  for (; last != by_address_.end() && last->first - address < bytes; ++last)
    removed.push_back(
        {last->first, in_whole_units(last->second.allocation.bytes), last->second.allocation.kind});
  by_address_.erase(first, last);
  return removed;
}

const Allocation* Allocations::find(uint64_t address) const {
  if (last_found_ != nullptr && last_found_->contains(address)) return last_found_;
  if (by_address_.empty() || address < by_address_.begin()->first) return nullptr;
  const Allocation& allocation = std::prev(by_address_.upper_bound(address))->second.allocation;
  return allocation.contains(address) ? last_found_ = &allocation : nullptr;
}

std::vector<Allocation> Allocations::all() const {
  std::vector<Allocation> allocations;
  for (const auto& [address, owned] : by_address_) allocations.push_back(round_up(owned.allocation));
  return allocations;
}

std::vector<Allocation> merge_overlaps(std::vector<Allocation> ranges) {
  std::ranges::sort(ranges, {}, &Allocation::address);
  std::vector<Allocation> merged;
  for (const Allocation& range : ranges)
    if (merged.empty() || range.address >= merged.back().end())
      merged.push_back(range);
    else
      merged.back().bytes = std::max(merged.back().end(), range.end()) - merged.back().address;
  return merged;
}

std::vector<Allocation> subtract(const std::vector<Allocation>& ranges,
                                 const std::vector<Allocation>& others) {
  std::vector<Allocation> left;
  auto other = others.begin();
  for (const Allocation& range : ranges) {
    Allocation piece = range;
    while (other != others.end() && other->end() <= piece.address) ++other;
    for (auto cut = other; cut != others.end() && cut->address < range.end(); ++cut) {
      if (cut->address > piece.address)
        left.push_back({piece.address, cut->address - piece.address, range.kind});
      piece.address = std::max(piece.address, cut->end());
    }
    if (piece.address >= range.end()) continue;
    piece.bytes = range.end() - piece.address;
    left.push_back(piece);
  }
  return left;
}

}  // namespace kjoule::cuda
