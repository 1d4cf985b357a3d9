#include "recording/run_structure.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "recording/loop_tree.hpp"

namespace kjoule {
namespace {

constexpr double kTrueShare = 0.9;     ///< least share of launches that return to the same addresses
constexpr double kInnerShare = 0.9;    ///< share of an outer loop that preferred inner loops must repeat
constexpr double kWaitingShare = 0.9;  ///< least share of iterations, or halves, in which the host waits
/// Addresses change without order if this share of the launches with changing addresses has no order.
constexpr double kWanderingShare = 0.25;
constexpr uint64_t kMostTurns = 256;       ///< blocks of a network, or buffers in rotation
constexpr uint64_t kMostCompared = 50000;  ///< launches of one loop whose pointers are compared
constexpr uint64_t kLongestPass = 2000;    ///< launches of a single pass
/// Least iterations of a loop whose pointers do not repeat; fewer may be the blocks of a single pass.
constexpr uint64_t kFewestUntrue = 256;
/// A loop with fewer iterations than kFewIterations counts only if it has kLeastShare of the run's launches.
constexpr uint64_t kFewIterations = 10;
constexpr double kLeastShare = 0.05;

/// How the pointers of a loop repeat.
struct Repetition {
  uint64_t turns = 1;  ///< number of the loop's iterations that form one iteration of the program
  /// Share of the launches whose pointers repeat after these iterations, or after a multiple of them.
  double share = 0;
};

/// A loop of the tree that was chosen as a part.
struct ChosenLoop {
  RunPart part;
  uint32_t symbol;
  Repetition repetition;
  bool is_true() const { return repetition.share >= kTrueShare; }
};

/// A loop around chosen loops.
struct OuterLoop {
  uint64_t first, launches, iterations;
};

/// Chooses, in each branch of the tree, the loops whose iterations are the program's.
class PartChoice {
 public:
  PartChoice(const RunLaunches& run, const LoopTree& tree) : run_(run), tree_(tree) {
    for (const LoopItem& item : tree.items()) choose(item);
  }

  const std::vector<ChosenLoop>& chosen() const { return chosen_; }
  /// Returns the loops around chosen loops, each after the loops within it.
  const std::vector<OuterLoop>& outer() const { return outer_; }

 private:
  void choose(const LoopItem& item);
  /// Returns whether the loops chosen within `item`, from number `before` on, are preferred to the loop
  /// itself.
  bool prefers_inner(const LoopItem& item, const Repetition& own, size_t before) const;
  bool is_significant(const ChosenLoop& loop) const;
  Repetition repetition_of(const Loop& loop) const;
  double share_repeating_after(const Loop& loop, uint64_t turns) const;
  /// Returns how many iterations of the loop form one of the program, if its pointers repeat after `turns`.
  uint64_t iterations_in_one(const Loop& loop, uint64_t turns) const;
  /// Divides the loop into groups of so many iterations. Returns whether the host waits for the device in
  /// nearly every group, 1 to `most` times.
  bool waits_in_each(const Loop& loop, uint64_t iterations, ptrdiff_t most) const;
  /// Returns whether the addresses of the loop change without order within `turns` iterations. In the blocks
  /// of a network each launch has other addresses in each block, or a few in rotation.
  bool addresses_wander(const Loop& loop, uint64_t turns) const;
  ChosenLoop part_of(const LoopItem& item, const Repetition& own) const;

  const RunLaunches& run_;
  const LoopTree& tree_;
  std::vector<ChosenLoop> chosen_;
  std::vector<OuterLoop> outer_;
};

void PartChoice::choose(const LoopItem& item) {
  if (item.loop == LoopItem::kNoLoop) return;
  const Loop& loop = tree_.loops()[item.loop];
  const size_t chosen_before = chosen_.size(), outer_before = outer_.size();
  for (const LoopItem& inner : loop.items) choose(inner);
  const Repetition own = repetition_of(loop);
  if (prefers_inner(item, own, chosen_before)) {
    outer_.push_back({item.first, item.launches, loop.iterations()});
    return;
  }
  chosen_.erase(chosen_.begin() + static_cast<ptrdiff_t>(chosen_before), chosen_.end());
  outer_.erase(outer_.begin() + static_cast<ptrdiff_t>(outer_before), outer_.end());
  const ChosenLoop whole = part_of(item, own);
  if (is_significant(whole)) chosen_.push_back(whole);
}

bool PartChoice::is_significant(const ChosenLoop& loop) const {
  if (!loop.is_true()) return loop.part.iterations >= kFewestUntrue;
  return loop.part.iterations >= kFewIterations ||
         static_cast<double>(loop.part.launches) >= kLeastShare * static_cast<double>(run_.signatures.size());
}

bool PartChoice::prefers_inner(const LoopItem& item, const Repetition& own, size_t before) const {
  if (before == chosen_.size()) return false;
  double repeating = 0, best_share = 0;
  bool any_true = false;
  for (size_t i = before; i < chosen_.size(); ++i) {
    const ChosenLoop& inner = chosen_[i];
    best_share = std::max(best_share, inner.repetition.share);
    if (!inner.is_true()) continue;
    any_true = true;
    repeating += static_cast<double>(inner.part.launches - inner.part.period);
  }
  if (own.share >= kTrueShare) return repeating >= kInnerShare * static_cast<double>(item.launches);
  return any_true || best_share >= own.share;
}

Repetition PartChoice::repetition_of(const Loop& loop) const {
  Repetition best;
  for (uint64_t turns = 1; turns <= std::min(kMostTurns, loop.iterations() / 2); ++turns) {
    const double share = share_repeating_after(loop, turns);
    if (share >= kTrueShare) return {iterations_in_one(loop, turns), share};
    if (turns == 1) best = {turns, share};
  }
  return best;
}

double PartChoice::share_repeating_after(const Loop& loop, uint64_t turns) const {
  uint64_t compared = 0, equal = 0;
  for (uint64_t i = turns; i < loop.iterations() && compared < kMostCompared; ++i) {
    const uint64_t begin = loop.begin_of(i), earlier = loop.begin_of(i - turns);
    const uint64_t launches = loop.begin_of(i + 1) - begin;
    if (loop.begin_of(i - turns + 1) - earlier != launches) continue;
    compared += launches;
    for (uint64_t launch = 0; launch < launches; ++launch)
      equal += run_.address_hashes[begin + launch] == run_.address_hashes[earlier + launch];
  }
  return compared == 0 ? 0 : static_cast<double>(equal) / static_cast<double>(compared);
}

uint64_t PartChoice::iterations_in_one(const Loop& loop, uint64_t turns) const {
  constexpr ptrdiff_t kAny = std::numeric_limits<ptrdiff_t>::max();
  const uint64_t half = turns / 2;
  if (turns % 2 == 0 && waits_in_each(loop, half, half == 1 ? kAny : 1)) return half;
  return waits_in_each(loop, 1, 1) && addresses_wander(loop, turns) ? 1 : turns;
}

bool PartChoice::waits_in_each(const Loop& loop, uint64_t iterations, ptrdiff_t most) const {
  uint64_t groups = 0, with_wait = 0;
  for (uint64_t i = 0; i + iterations <= loop.iterations(); i += iterations, ++groups) {
    const auto first = std::ranges::lower_bound(run_.synchronisations, loop.begin_of(i));
    const auto after = std::ranges::lower_bound(run_.synchronisations, loop.begin_of(i + iterations));
    with_wait += after - first >= 1 && after - first <= most;
  }
  return static_cast<double>(with_wait) >= kWaitingShare * static_cast<double>(groups);
}

/// Returns whether the addresses of successive iterations, with `different` distinct ones, rotate: most of
/// them recur after `different` iterations, or after one less if the first iteration has an address of its
/// own.
bool rotate(const std::vector<uint64_t>& addresses, size_t different) {
  for (const size_t period : {different, different - 1}) {
    size_t again = 0;
    for (size_t i = period; i < addresses.size(); ++i) again += addresses[i] == addresses[i - period];
    if (2 * again > addresses.size() - period) return true;
  }
  return false;
}

bool PartChoice::addresses_wander(const Loop& loop, uint64_t turns) const {
  const uint64_t launches = loop.begin_of(1) - loop.begin_of(0);
  uint64_t changing = 0, wandering = 0;
  for (uint64_t launch = 0; launch < launches; ++launch) {
    std::vector<uint64_t> addresses;
    for (uint64_t i = 0; i < turns; ++i)
      if (const uint64_t at = loop.begin_of(i) + launch; at < loop.begin_of(i + 1))
        addresses.push_back(run_.address_hashes[at]);
    const size_t different = std::set<uint64_t>(addresses.begin(), addresses.end()).size();
    changing += different > 1;
    wandering += different > 2 && different < addresses.size() && !rotate(addresses, different);
  }
  return static_cast<double>(wandering) > kWanderingShare * static_cast<double>(changing);
}

ChosenLoop PartChoice::part_of(const LoopItem& item, const Repetition& own) const {
  const Loop& loop = tree_.loops()[item.loop];
  ChosenLoop chosen{{}, item.symbol, own};
  RunPart& part = chosen.part;
  part.first = item.first;
  part.launches = item.launches;
  part.period = loop.begin_of(own.turns) - item.first;
  part.iterations = loop.iterations() / own.turns;
  part.repeating_share = share_repeating_after(loop, own.turns);
  for (uint64_t i = 1; i < part.iterations; ++i)
    part.even &= loop.begin_of((i + 1) * own.turns) - loop.begin_of(i * own.turns) == part.period;
  if (!part.even)
    for (uint64_t i = 0; i <= part.iterations; ++i) part.begins.push_back(loop.begin_of(i * own.turns));
  return chosen;
}

/// Cuts the launches between the chosen loops into single passes.
class PassCutter {
 public:
  PassCutter(const RunLaunches& run, const std::vector<OuterLoop>& outer)
      : cuts_(run.synchronisations.begin(), run.synchronisations.end()) {
    for (const OuterLoop& loop : outer) {
      cuts_.push_back(loop.first);
      cuts_.push_back(loop.first + loop.launches);
    }
    std::ranges::sort(cuts_);
  }

  void cut(uint64_t begin, uint64_t end, std::vector<RunPart>& parts) const {
    while (begin < end) {
      const auto next = std::ranges::upper_bound(cuts_, begin);
      uint64_t until = std::min(end, begin + kLongestPass);
      if (next != cuts_.end()) until = std::min(until, *next);
      parts.push_back({.first = begin, .launches = until - begin});
      begin = until;
    }
  }

 private:
  std::vector<uint64_t> cuts_;
};

/// Gives equal loops the same kind, and each single pass its own.
void number_kinds(const std::vector<ChosenLoop>& chosen, RunStructure& structure) {
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> kinds;
  size_t loop = 0;
  for (RunPart& part : structure.parts) {
    if (part.period == 0) {
      part.kind = structure.kinds++;
      continue;
    }
    const auto [at, is_new] =
        kinds.emplace(std::pair(chosen[loop].symbol, chosen[loop].repetition.turns), structure.kinds);
    if (is_new) ++structure.kinds;
    part.kind = at->second;
    ++loop;
  }
}

RunGroup group_of(const OuterLoop& loop, const std::vector<RunPart>& parts) {
  const auto place = [&](uint64_t launch) {
    return static_cast<size_t>(std::ranges::lower_bound(parts, launch, {}, &RunPart::first) - parts.begin());
  };
  const size_t first = place(loop.first);
  return {first, place(loop.first + loop.launches) - first, loop.iterations};
}

}  // namespace

RunStructure find_structure(const RunLaunches& run) {
  const LoopTree tree(run.signatures);
  const PartChoice choice(run, tree);
  const PassCutter cutter(run, choice.outer());
  RunStructure structure;
  uint64_t done = 0;
  for (const ChosenLoop& loop : choice.chosen()) {
    cutter.cut(done, loop.part.first, structure.parts);
    structure.parts.push_back(loop.part);
    done = loop.part.first + loop.part.launches;
  }
  cutter.cut(done, run.signatures.size(), structure.parts);
  number_kinds(choice.chosen(), structure);
  for (auto loop = choice.outer().rbegin(); loop != choice.outer().rend(); ++loop)
    structure.groups.push_back(group_of(*loop, structure.parts));
  return structure;
}

}  // namespace kjoule
