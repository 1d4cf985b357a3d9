#include "cuda/memory/page_set.hpp"

#include <utility>

namespace kjoule::cuda {

PageSet PageSet::of(std::vector<Run> runs) {
  std::ranges::sort(runs, {}, &Run::first);
  PageSet set;
  for (const Run& run : runs) set.add(run.first, run.end());
  return set;
}

void PageSet::add(unsigned first, unsigned end) {
  if (first >= end) return;
  if (runs_.empty() || first > runs_.back().end())
    runs_.push_back({first, end - first});
  else
    runs_.back().count = std::max(runs_.back().end(), end) - runs_.back().first;
}

bool PageSet::contains(unsigned page) const {
  const auto next = std::ranges::upper_bound(runs_, page, {}, &Run::first);
  return next != runs_.begin() && page < std::prev(next)->end();
}

unsigned PageSet::size() const {
  unsigned size = 0;
  for (const Run& run : runs_) size += run.count;
  return size;
}

PageSet unite(const PageSet& one, const PageSet& other) {
  std::vector<PageSet::Run> runs = one.runs();
  runs.insert(runs.end(), other.runs().begin(), other.runs().end());
  return PageSet::of(std::move(runs));
}

PageSet subtract(const PageSet& one, const PageSet& other) {
  PageSet left;
  auto cut = other.runs().begin();
  for (const PageSet::Run& run : one.runs()) {
    unsigned first = run.first;
    while (cut != other.runs().end() && cut->end() <= first) ++cut;
    for (auto next = cut; next != other.runs().end() && next->first < run.end(); ++next) {
      left.add(first, std::max(first, next->first));
      first = std::max(first, next->end());
    }
    left.add(first, run.end());
  }
  return left;
}

}  // namespace kjoule::cuda
