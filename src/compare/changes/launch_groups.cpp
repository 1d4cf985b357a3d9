#include "compare/changes/launch_groups.hpp"

#include <algorithm>
#include <utility>

#include "recording/sequence_match.hpp"

namespace kjoule {

namespace {

constexpr uint32_t kNoMatch = UINT32_MAX;

/// For each kernel of both iterations, the index of its match.
struct MatchNumbers {
  std::vector<uint32_t> before, after;  ///< kNoMatch for a kernel without counterpart
};

MatchNumbers match_numbers(const BaselineIteration& before, const BaselineIteration& after,
                           const std::vector<KernelMatch>& matches) {
  MatchNumbers numbers{std::vector<uint32_t>(before.kernels.size(), kNoMatch),
                       std::vector<uint32_t>(after.kernels.size(), kNoMatch)};
  for (uint32_t m = 0; m < matches.size(); ++m) {
    numbers.before[matches[m].before] = m;
    numbers.after[matches[m].after] = m;
  }
  return numbers;
}

/// Returns a symbol for each launch. Matched kernels of both iterations have the same symbol; every other
/// kernel has a symbol of its own, from `first_other` upwards.
std::vector<uint32_t> symbols_of(const BaselineIteration& iteration, const std::vector<uint32_t>& numbers,
                                 uint32_t first_other) {
  std::vector<uint32_t> symbols;
  for (const uint32_t kernel : iteration.launches)
    symbols.push_back(numbers[kernel] == kNoMatch ? first_other + kernel : numbers[kernel]);
  return symbols;
}

/// The launches of both iterations between two successive pairs of launches that correspond to each other.
struct Gap {
  LaunchCounts before, after;
};

bool has_others(const LaunchCounts& counts, const std::vector<uint32_t>& numbers) {
  return std::ranges::any_of(counts, [&](const auto& entry) { return numbers[entry.first] == kNoMatch; });
}

/// Removes `count` launches of a kernel from the gaps, because they correspond to launches at another place.
/// They are first removed from gaps in whose other side every kernel has a counterpart.
void remove_launches(std::vector<Gap>& gaps, LaunchCounts Gap::*side, LaunchCounts Gap::*other_side,
                     const std::vector<uint32_t>& other_numbers, uint32_t kernel, uint64_t count) {
  for (const bool beside_others : {false, true}) {
    for (Gap& gap : gaps) {
      const auto found = (gap.*side).find(kernel);
      if (count == 0 || found == (gap.*side).end() ||
          has_others(gap.*other_side, other_numbers) != beside_others)
        continue;
      const uint64_t removed = std::min(count, found->second);
      count -= removed;
      found->second -= removed;
      if (found->second == 0) (gap.*side).erase(found);
    }
  }
}

uint64_t count_in(const std::vector<Gap>& gaps, LaunchCounts Gap::*side, uint32_t kernel) {
  uint64_t count = 0;
  for (const Gap& gap : gaps)
    if (const auto found = (gap.*side).find(kernel); found != (gap.*side).end()) count += found->second;
  return count;
}

/// Returns the replacements of all gaps that have launches. Gaps with the same launches on both sides become
/// one replacement with several occurrences.
std::vector<ReplacedLaunches> joined(const std::vector<Gap>& gaps) {
  std::vector<ReplacedLaunches> all;
  std::map<std::pair<LaunchCounts, LaunchCounts>, size_t> known;
  for (const Gap& gap : gaps) {
    if (gap.before.empty() && gap.after.empty()) continue;
    const auto [place, is_new] = known.try_emplace({gap.before, gap.after}, all.size());
    if (is_new) all.emplace_back();
    ReplacedLaunches& group = all[place->second];
    ++group.occurrences;
    for (const auto& [kernel, count] : gap.before) group.before[kernel] += count;
    for (const auto& [kernel, count] : gap.after) group.after[kernel] += count;
  }
  return all;
}

}  // namespace

LaunchGroups group_launches(const BaselineIteration& before, const BaselineIteration& after,
                            const std::vector<KernelMatch>& matches) {
  const MatchNumbers numbers = match_numbers(before, after, matches);
  const auto first_other = static_cast<uint32_t>(matches.size());
  const auto pairs = match_sequences(
      symbols_of(before, numbers.before, first_other),
      symbols_of(after, numbers.after, first_other + static_cast<uint32_t>(before.kernels.size())));
  LaunchGroups groups{std::vector<uint64_t>(matches.size()), {}};
  std::vector<Gap> gaps(1);
  size_t a = 0, b = 0;
  const auto take_until = [&](size_t a_end, size_t b_end) {
    for (; a < a_end; ++a) ++gaps.back().before[before.launches[a]];
    for (; b < b_end; ++b) ++gaps.back().after[after.launches[b]];
  };
  for (const auto& [a_match, b_match] : pairs) {
    take_until(a_match, b_match);
    ++groups.matched[numbers.before[before.launches[a++]]];
    ++b;
    if (!gaps.back().before.empty() || !gaps.back().after.empty()) gaps.emplace_back();
  }
  take_until(before.launches.size(), after.launches.size());
  for (size_t m = 0; m < matches.size(); ++m) {
    const auto& [kernel_before, kernel_after, likeness] = matches[m];
    const uint64_t moved =
        std::min(count_in(gaps, &Gap::before, kernel_before), count_in(gaps, &Gap::after, kernel_after));
    groups.matched[m] += moved;
    remove_launches(gaps, &Gap::before, &Gap::after, numbers.after, kernel_before, moved);
    remove_launches(gaps, &Gap::after, &Gap::before, numbers.before, kernel_after, moved);
  }
  groups.replaced = joined(gaps);
  return groups;
}

}  // namespace kjoule
