#include "importers/repeating_launches.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>

#include "recording/last_occurrence.hpp"

namespace kjoule {

namespace {

using Launches = std::vector<LaunchMoment>;
using Keys = std::vector<uint32_t>;

constexpr double kNearlyAllRepeats = 0.8;  ///< least share of the trace that iterations fill
constexpr size_t kFewestTimes = 3;         ///< least number of repetitions
constexpr size_t kFewestOfLayer = 4;       ///< least number of launches of a layer
/// The least ratio of the pause between iterations to the usual time between two launches. Between
/// iterations, a program prepares data or waits for the device.
constexpr double kPause = 3;
/// The least such ratio for a repetition that may be a layer: a program prepares layers, too, but faster.
constexpr double kPauseOfIterations = 10;
/// The most multiples of a period that are examined for pauses.
constexpr size_t kMostMultiples = 128;
/// The least ratio of long pauses to short ones. Pauses scatter, but pauses at equal distances rarely exceed
/// all other pauses by a factor of 2 by chance.
constexpr double kClearlyLonger = 2;
/// A shorter period is preferred if it fills at least this share of the launches that the best period fills.
/// (A multiple of a period fills up to one repetition less than the period.)
constexpr double kAsGood = 0.8;
/// The share of names that may differ between iterations: libraries choose other kernels for other shapes.
constexpr double kOtherNames = 0.1;
/// The least agreement of signatures between neighbouring iterations, as a share of the usual agreement.
constexpr double kLeastAgreement = 0.5;

constexpr size_t kLongestSequence = 1 << 16, kGrowth = 4;
/// Number of distances that are kept for each length of sequences. A layer causes one for each launch that
/// occurs several times in it.
constexpr size_t kDistancesOfLength = 12;

/// Returns the distances between one sequence and the next that equals it, the most frequent ones first.
std::vector<size_t> frequent_distances(const std::vector<uint32_t>& keys, size_t length) {
  std::unordered_map<size_t, size_t> number_of;
  for (const uint32_t distance : distances_to_last(keys, length))
    if (distance > 0) ++number_of[distance];
  std::vector<std::pair<size_t, size_t>> ordered;
  for (const auto& [distance, number] : number_of) ordered.emplace_back(number, distance);
  const size_t kept = std::min(ordered.size(), kDistancesOfLength);
  std::partial_sort(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(kept), ordered.end(),
                    std::greater<>());
  std::vector<size_t> distances;
  for (size_t i = 0; i < kept; ++i) distances.push_back(ordered[i].second);
  return distances;
}

/// Returns the distances, in launches, at which sequences of launches recur most often, in ascending order.
/// Launches with equal `keys` are equal. Sequences of several lengths are examined: layers repeat more often
/// than iterations, so only sequences that are longer than all consecutive equal layers show the iterations.
/// Takes time linear in the number of launches.
std::vector<size_t> likely_periods(const std::vector<uint32_t>& keys) {
  std::set<size_t> periods;
  for (size_t length = 1; 2 * length <= keys.size() && length <= kLongestSequence; length *= kGrowth)
    for (const size_t distance : frequent_distances(keys, length)) periods.insert(distance);
  return {periods.begin(), periods.end()};
}

/// Launches [first, first + period.launches), in which each launch equals the one a period before it.
struct Stretch {
  size_t first = 0;
  RepeatedPeriod period;
};

/// Returns the longest stretch with the period `length` in which at most `allowed` launches of each
/// repetition differ from the repetition before.
Stretch longest_stretch(const Keys& keys, size_t length, size_t allowed) {
  Stretch longest{0, {length, 0}};
  size_t differing = 0, in_a_row = 0;
  const auto differs = [&](size_t i) { return keys[i] != keys[i - length] ? size_t{1} : size_t{0}; };
  for (size_t i = length; i < keys.size(); ++i) {
    differing += differs(i);
    if (i >= 2 * length) differing -= differs(i - length);
    if (i + 1 < 2 * length) continue;
    in_a_row = differing <= allowed ? in_a_row + 1 : 0;
    if (in_a_row == 0) continue;
    if (const size_t launches = in_a_row - 1 + 2 * length; launches > longest.period.launches)
      longest = {i + 1 - launches, {length, launches}};
  }
  return longest;
}

int64_t median(std::vector<int64_t>& values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// The place of a period before which the host usually pauses longest.
struct LongestPause {
  size_t place = 0;
  double ratio = 0;              ///< ratio of the usual pause at this place to the usual pause elsewhere
  bool is_always_there = false;  ///< whether all pauses at this place are clearly longer

  bool is_clear() const { return ratio >= kPause; }
};

/// The most launches of a stretch whose pauses are compared, unless these are fewer than kMostTimes periods.
/// Each multiple of a period compares them again, which takes long in traces of many millions of launches.
constexpr size_t kMostCompared = size_t{1} << 20, kMostTimes = 64;

/// Finds the longest pause in a stretch, for the period `length`, which may be a multiple of the stretch's
/// own.
LongestPause find_longest_pause(const Launches& launches, const Stretch& stretch, size_t length) {
  std::vector<int64_t> usual(length), least(length, std::numeric_limits<int64_t>::max());
  const size_t end =
      stretch.first + std::min(stretch.period.launches, std::max(kMostCompared, kMostTimes * length));
  for (size_t place = 0; place < length; ++place) {
    std::vector<int64_t> pauses;
    for (size_t i = stretch.first + place; i < end; i += length) {
      if (i == 0) continue;
      pauses.push_back(launches[i].host_ns - launches[i - 1].host_ns);
      if (i > stretch.first) least[place] = std::min(least[place], pauses.back());
    }
    if (!pauses.empty()) usual[place] = median(pauses);
  }
  LongestPause longest;
  longest.place = static_cast<size_t>(std::max_element(usual.begin(), usual.end()) - usual.begin());
  const auto pause = static_cast<double>(usual[longest.place]),
             always = static_cast<double>(least[longest.place]);
  const auto others = static_cast<double>(std::max<int64_t>(1, median(usual)));
  longest.ratio = pause / others;
  longest.is_always_there = always >= kPause * others;
  return longest;
}

/// Returns the number of launches from which on consecutive repetitions cannot be layers.
size_t launches_beyond_layers(size_t length) {
  if (length < 16) return 30000;
  return std::clamp<size_t>(30000 / length, 10, 150) * length;
}

/// Finds iterations by the repetition of keys (signatures or names) of launches.
class IterationSearch {
 public:
  IterationSearch(const Launches& launches, Keys keys, double differing)
      : launches_(launches), keys_(std::move(keys)), differing_(differing) {}

  std::optional<Repetition> find() {
    for (const size_t length : likely_periods(keys_))
      if (Stretch stretch = longest_stretch(keys_, length, allowed(length)); stretch.period.launches > 0)
        stretches_.push_back(stretch);
    if (stretches_.empty()) return {};
    // A period with only two repetitions may be two long parts of a program that differ at their ends.
    const auto is_rare = [](const Stretch& stretch) { return stretch.period.times() < kFewestTimes; };
    if (!std::ranges::all_of(stretches_, is_rare)) std::erase_if(stretches_, is_rare);
    const Stretch& stretch = shortest_good_stretch();
    Repetition found;
    found.length = stretch.period.length;
    const size_t place = choose_begin(stretch, found);
    const size_t middle = stretch.period.launches / found.length / 2 * found.length;
    size_t reference = stretch.first + place + middle;
    while (reference + found.length > launches_.size()) reference -= found.length;
    found.begins = begins_like(reference, found.length);
    in_a_row_ = stretch.period.launches;
    for (const Stretch& other : stretches_)
      if (other.period.length % found.length != 0 &&
          (!found.next_best || other.period.launches > found.next_best->launches))
        found.next_best = other.period;
    return found;
  }

  /// Returns the reason why a repetition may not be an iteration. `found` is the result of find(), from which
  /// outliers may have been removed.
  RepetitionDoubt doubt(const Repetition& found) const {
    if (in_a_row_ >= launches_beyond_layers(found.length)) return RepetitionDoubt::none;
    if (pause_ratio_ < kPause) return RepetitionDoubt::no_pauses;
    const double covered = static_cast<double>(found.covered()) / static_cast<double>(launches_.size());
    if (found.times() < kFewestTimes || covered < kNearlyAllRepeats) return RepetitionDoubt::too_little;
    if (is_in_pieces(found) && !has_layers(found)) return RepetitionDoubt::graph_pieces;
    if (found.next_best && found.next_best->length < found.length) return RepetitionDoubt::none;
    if (pause_ratio_ < kPauseOfIterations) return RepetitionDoubt::short_pauses;
    return other_launches_follow(found) ? RepetitionDoubt::others_follow : RepetitionDoubt::none;
  }

 private:
  size_t allowed(size_t length) const {
    return static_cast<size_t>(differing_ * static_cast<double>(length));
  }

  /// Returns whether a repetition launches kernels in a CUDA graph, and others in another graph or in none.
  bool is_in_pieces(const Repetition& found) const {
    const size_t begin = found.begins[found.times() / 2];
    std::optional<uint32_t> graph;
    bool outside = false, pieces = false;
    for (size_t i = begin; i < begin + found.length; ++i) {
      if (!launches_[i].is_kernel) continue;
      outside = outside || !launches_[i].graph;
      pieces = pieces || (graph && launches_[i].graph && graph != launches_[i].graph);
      if (launches_[i].graph) graph = launches_[i].graph;
    }
    return graph && (outside || pieces);
  }

  /// Returns whether smaller periods within a repetition are large enough for the layers of a network.
  static bool has_layers(const Repetition& found) {
    return found.next_best && found.next_best->length < found.length &&
           found.next_best->length >= kFewestOfLayer && 4 * found.next_best->launches >= found.length;
  }

  /// Returns whether the launches after the last repetition are not the beginning of another repetition.
  bool other_launches_follow(const Repetition& found) const {
    size_t i = found.begins.back() + found.length;
    while (i < keys_.size() && keys_[i] == keys_[i - found.length]) ++i;
    return i < keys_.size();
  }

  /// Returns the stretch of the shortest period that fills nearly as much of the trace as the best one.
  const Stretch& shortest_good_stretch() const {
    size_t most = 0;
    for (const Stretch& stretch : stretches_) most = std::max(most, stretch.period.launches);
    return *std::find_if(stretches_.begin(), stretches_.end(), [&](const Stretch& stretch) {
      return static_cast<double>(stretch.period.launches) >= kAsGood * static_cast<double>(most);
    });
  }

  /// Sets the length of an iteration. It is a multiple of the stretch's period if the host pauses only before
  /// each such multiple. Returns the place in the stretch at which an iteration begins.
  size_t choose_begin(const Stretch& stretch, Repetition& found) {
    const size_t period = stretch.period.length;
    const LongestPause own = find_longest_pause(launches_, stretch, period);
    pause_ratio_ = own.ratio;
    if (own.is_clear()) return own.place;
    for (size_t multiple = 2; multiple <= kMostMultiples; ++multiple) {
      const size_t length = multiple * period;
      if (length * kFewestTimes > stretch.period.launches) break;
      const LongestPause pause = find_longest_pause(launches_, stretch, length);
      if (!pause.is_clear() || !pause.is_always_there) continue;
      found.length = length;
      pause_ratio_ = pause.ratio;
      return pause.place;
    }
    return 0;
  }

  /// Returns whether the `length` launches from `a` on and from `b` on exist and are equal, except for at
  /// most allowed(length) of them.
  bool alike(size_t a, size_t b, size_t length) const {
    if (a + length > keys_.size() || b + length > keys_.size()) return false;
    size_t differing = 0;
    for (size_t i = 0; i < length; ++i)
      if (keys_[a + i] != keys_[b + i] && ++differing > allowed(length)) return false;
    return true;
  }

  /// Returns the begins of all iterations that resemble the one at `reference`: the consecutive ones around
  /// it, and single ones before and after these.
  std::vector<size_t> begins_like(size_t reference, size_t length) const {
    size_t first = reference, end = reference + length;
    while (first >= length && alike(first - length, first, length)) first -= length;
    while (alike(end, end - length, length)) end += length;
    std::vector<size_t> begins;
    const auto search = [&](size_t from, size_t to) {
      while (from + length <= to) {
        const bool equal = keys_[from] == keys_[reference] && alike(from, reference, length);
        if (equal) begins.push_back(from);
        from += equal ? length : 1;
      }
    };
    search(0, first);
    for (size_t begin = first; begin < end; begin += length) begins.push_back(begin);
    search(end, keys_.size());
    return begins;
  }

  const Launches& launches_;
  Keys keys_;
  double differing_;
  std::vector<Stretch> stretches_;  ///< the longest one of each period, by ascending period
  size_t in_a_row_ = 0;             ///< number of launches in the longest stretch without interruption
  double pause_ratio_ = 0;
};

/// Removes iterations whose signatures agree much less than usual with those of their neighbours, such as a
/// prompt before its tokens, or a smaller last batch.
void remove_outliers(const Launches& launches, Repetition& found) {
  const size_t pairs = found.times() - 1;
  std::vector<int64_t> agreeing(pairs, 0);
  for (size_t p = 0; p < pairs; ++p)
    for (size_t i = 0; i < found.length; ++i)
      if (launches[found.begins[p] + i].signature == launches[found.begins[p + 1] + i].signature)
        ++agreeing[p];
  if (pairs < 2) return;
  std::vector<int64_t> sorted = agreeing;
  const double least = kLeastAgreement * static_cast<double>(median(sorted));
  std::vector<size_t> kept;
  for (size_t i = 0; i <= pairs; ++i) {
    const int64_t before = i > 0 ? agreeing[i - 1] : 0, after = i < pairs ? agreeing[i] : 0;
    if (static_cast<double>(std::max(before, after)) >= least) kept.push_back(found.begins[i]);
  }
  found.begins = std::move(kept);
}

/// Returns the host's longest pause in each repetition, in ns, except in the first one, whose pause may
/// belong to the launches before it.
std::vector<int64_t> longest_pauses(const Launches& launches, const Repetition& found) {
  std::vector<int64_t> longest(found.times() - 1, 0);
  for (size_t time = 1; time < found.times(); ++time)
    for (size_t i = found.begins[time]; i < found.begins[time] + found.length; ++i)
      longest[time - 1] = std::max(longest[time - 1], launches[i].host_ns - launches[i - 1].host_ns);
  return longest;
}

/// Returns the distance between successive numbers if it is constant and the numbers cover the range from 1
/// to `end` (not included); otherwise 0.
size_t distance(std::vector<size_t> numbers, size_t end) {
  if (numbers.size() < 2) return 0;
  std::sort(numbers.begin(), numbers.end());
  const size_t every = numbers[1] - numbers[0];
  for (size_t i = 2; i < numbers.size(); ++i)
    if (numbers[i] - numbers[i - 1] != every) return 0;
  return numbers.front() <= every && numbers.back() + every >= end ? every : 0;
}

/// Returns the number of repetitions between long pauses, or 0. Tries every division of the pauses into long
/// and short ones with a ratio of at least kClearlyLonger, and accepts the first with equal distances between
/// long pauses.
size_t longer_pause_every(const Launches& launches, const Repetition& found) {
  const std::vector<int64_t> longest = longest_pauses(launches, found);
  std::vector<size_t> order(longest.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return longest[a] > longest[b]; });
  std::vector<size_t> long_ones;
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    long_ones.push_back(order[i] + 1);
    const auto next = static_cast<double>(std::max<int64_t>(1, longest[order[i + 1]]));
    if (static_cast<double>(longest[order[i]]) < kClearlyLonger * next) continue;
    if (const size_t every = distance(long_ones, found.times())) return every;
  }
  return 0;
}

Keys keys_of(const Launches& launches, uint32_t LaunchMoment::*key) {
  Keys keys;
  keys.reserve(launches.size());
  for (const LaunchMoment& launch : launches) keys.push_back(launch.*key);
  return keys;
}

/// Finds the repetition of signatures or names, and determines whether it is an iteration.
std::optional<Repetition> find_and_judge(const Launches& launches, bool by_name) {
  IterationSearch search(launches,
                         keys_of(launches, by_name ? &LaunchMoment::name : &LaunchMoment::signature),
                         by_name ? kOtherNames : 0);
  std::optional<Repetition> found = search.find();
  if (!found) return {};
  found->by_name = by_name;
  if (by_name) remove_outliers(launches, *found);
  if (found->times() < 2) return {};
  found->longer_pause_every = longer_pause_every(launches, *found);
  found->doubt = search.doubt(*found);
  return found;
}

}  // namespace

std::optional<Repetition> find_repetition(const std::vector<LaunchMoment>& launches) {
  std::optional<Repetition> by_signature = find_and_judge(launches, false);
  const auto is_sure = [](const std::optional<Repetition>& found) {
    return found && found->doubt == RepetitionDoubt::none;
  };
  if (is_sure(by_signature)) return by_signature;
  std::optional<Repetition> by_name = find_and_judge(launches, true);
  const size_t covered = by_signature ? by_signature->covered() : 0;
  return is_sure(by_name) || (by_name && by_name->covered() > covered) ? by_name : by_signature;
}

}  // namespace kjoule
