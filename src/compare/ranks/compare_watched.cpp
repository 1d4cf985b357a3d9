#include "compare/ranks/compare_watched.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
#include "compare/ranks/clock_alignment.hpp"
#include "compare/ranks/critical_path.hpp"
#include "compare/ranks/time_spans.hpp"

namespace kjoule {

namespace {

constexpr int64_t kMostIterations = 64;
/// Contradiction of the ranks' times, as a share of an iteration, from which the ranks' iterations are not
/// the same ones.
constexpr double kLargestContradiction = 0.05;
constexpr size_t kMostPathKernels = 10;
constexpr double kNs = 1e-9;
static_assert(kPathParts == PathSums::kParts);

/// A collective of one rank: an operation of one of its iterations.
struct WatchedCollective {
  size_t rank = 0, iteration = 0, launch = 0;
};

/// A collective that synchronises ranks, once for each rank.
struct CollectiveOfRanks {
  size_t kind = 0;
  std::vector<WatchedCollective> ranks;
};

/// The iterations that were watched on all ranks.
class CommonIterations {
 public:
  explicit CommonIterations(std::vector<WatchedRank> ranks) : ranks_(std::move(ranks)) {
    keep_common();
    find_kinds();
    for (size_t iteration = 0; iteration < iterations(); ++iteration) find_collectives(iteration);
    align();
  }

  /// Returns the number of iterations, without the last one: kjoule stops the profiler of the first rank
  /// while the others may still be in it.
  size_t iterations() const { return ranks_[0].iterations.size() - 1; }
  const std::vector<WatchedRank>& ranks() const { return ranks_; }
  const std::vector<RecordedCollective>& kinds() const { return kinds_; }
  const std::vector<CollectiveOfRanks>& collectives() const { return collectives_; }
  /// Returns the launches of a rank's iteration in order, on the aligned clock.
  const std::vector<WatchedOperation>& launches(size_t rank, size_t iteration) const {
    return ranks_[rank].iterations[iteration];
  }
  const WatchedOperation& at(const WatchedCollective& one) const {
    return launches(one.rank, one.iteration)[one.launch];
  }
  /// Returns when an iteration of a rank begins; `iteration` may be iterations().
  int64_t begin_ns(size_t rank, size_t iteration) const {
    return std::ranges::min(launches(rank, iteration), {}, &WatchedOperation::begin_ns).begin_ns;
  }
  /// Returns whether a rank has collectives of a kind.
  bool has_kind(size_t rank, size_t kind) const {
    return std::ranges::any_of(ranks_[rank].collectives,
                               [&](const RecordedCollective& one) { return one.is_like(kinds_[kind]); });
  }
  double clock_error_s() const { return kNs * static_cast<double>(clocks_.error_ns); }

 private:
  void keep_common() {
    const int64_t end = std::ranges::min_element(ranks_, {}, &WatchedRank::end)->end();
    const int64_t latest_first = std::ranges::max_element(ranks_, {}, &WatchedRank::first)->first;
    const int64_t first = std::max(latest_first, end - 1 - kMostIterations);
    if (end - first < 2) throw Error("the log of the program's run has too few iterations of all ranks");
    for (WatchedRank& rank : ranks_) {
      rank.iterations.erase(rank.iterations.begin() + (end - rank.first), rank.iterations.end());
      rank.iterations.erase(rank.iterations.begin(), rank.iterations.begin() + (first - rank.first));
      rank.first = first;
    }
  }

  void find_kinds() {
    std::vector<RecordedCollective> all;
    for (const WatchedRank& rank : ranks_)
      for (const RecordedCollective& one : rank.collectives)
        if (synchronising(one.operation) != nullptr &&
            std::ranges::none_of(all, [&](const auto& kind) { return kind.is_like(one); }))
          all.push_back(one);
    std::ranges::copy_if(all, std::back_inserter(kinds_),
                         [&](const RecordedCollective& kind) { return is_agreed(kind.communicator); });
  }

  /// Returns the collectives of a rank in a communicator: their indices in WatchedRank::collectives.
  static std::vector<size_t> places_in(const WatchedRank& rank, uint64_t communicator) {
    std::vector<size_t> places;
    for (size_t place = 0; place < rank.collectives.size(); ++place)
      if (rank.collectives[place].communicator == communicator) places.push_back(place);
    return places;
  }

  /// Returns whether several ranks have a communicator, and its operations in the same order.
  bool is_agreed(uint64_t communicator) const {
    std::vector<std::vector<std::pair<std::string, uint64_t>>> of_ranks;
    for (const WatchedRank& rank : ranks_) {
      auto& operations = of_ranks.emplace_back();
      for (const size_t place : places_in(rank, communicator))
        operations.emplace_back(rank.collectives[place].operation, rank.collectives[place].bytes);
    }
    std::erase_if(of_ranks, [](const auto& operations) { return operations.empty(); });
    return of_ranks.size() > 1 && std::ranges::adjacent_find(of_ranks, std::not_equal_to()) == of_ranks.end();
  }

  /// Returns the operations of a rank's iteration that are collectives, in order.
  std::vector<size_t> collectives_in(size_t rank, size_t iteration) const {
    std::vector<size_t> found;
    const auto& all = launches(rank, iteration);
    for (size_t launch = 0; launch < all.size(); ++launch)
      if (all[launch].part == WatchedPart::collective) found.push_back(launch);
    if (found.size() != ranks_[rank].collectives.size())
      throw Error("the watched iterations have other collectives than the recorded one");
    return found;
  }

  void find_collectives(size_t iteration) {
    std::map<std::pair<uint64_t, size_t>, CollectiveOfRanks> found;  // by communicator and number in it
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      std::map<uint64_t, size_t> passed;
      const std::vector<size_t> launches = collectives_in(rank, iteration);
      for (size_t place = 0; place < launches.size(); ++place) {
        const RecordedCollective& one = ranks_[rank].collectives[place];
        const size_t number = passed[one.communicator]++;
        const auto kind = std::ranges::find_if(kinds_, [&](const auto& all) { return all.is_like(one); });
        if (kind == kinds_.end()) continue;
        CollectiveOfRanks& of_ranks = found[{one.communicator, number}];
        of_ranks.kind = static_cast<size_t>(kind - kinds_.begin());
        of_ranks.ranks.push_back({rank, iteration, launches[place]});
      }
    }
    for (auto& [place, of_ranks] : found) collectives_.push_back(std::move(of_ranks));
  }

  void align() {
    const size_t host = ranks_.size();
    ClockDifferences differences(ranks_.size() + 1);
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      const ClockBounds& bounds = ranks_[rank].clock;
      if (bounds.most_ns != ClockBounds().most_ns) differences.limit(rank, host, bounds.most_ns);
      if (bounds.least_ns != ClockBounds().least_ns) differences.limit(host, rank, -bounds.least_ns);
    }
    for (const CollectiveOfRanks& collective : collectives_)
      for (const WatchedCollective& a : collective.ranks)
        for (const WatchedCollective& b : collective.ranks)
          if (a.rank != b.rank) differences.limit(a.rank, b.rank, at(a).end_ns - at(b).begin_ns);
    clocks_ = differences.align(ranks_.size(), host);
    const auto iteration_ns =
        static_cast<double>(begin_ns(0, iterations()) - begin_ns(0, 0)) / static_cast<double>(iterations());
    if (static_cast<double>(clocks_.contradiction_ns) > kLargestContradiction * iteration_ns)
      throw Error("the ranks' collectives in the log of the program's run do not belong together");
    for (size_t rank = 0; rank < ranks_.size(); ++rank)
      for (auto& iteration : ranks_[rank].iterations)
        for (WatchedOperation& launch : iteration) {
          launch.begin_ns -= clocks_.ahead_ns[rank];
          launch.end_ns -= clocks_.ahead_ns[rank];
        }
  }

  std::vector<WatchedRank> ranks_;
  std::vector<RecordedCollective> kinds_;       ///< of the collectives that synchronise ranks
  std::vector<CollectiveOfRanks> collectives_;  ///< of all iterations that iterations() counts, in order
  ClockAlignment clocks_;
};

RankActivity activity_of(const CommonIterations& watched, size_t rank) {
  std::vector<TimeSpan> computation, communication;
  for (size_t iteration = 0; iteration < watched.iterations(); ++iteration)
    for (const WatchedOperation& launch : watched.launches(rank, iteration)) {
      if (launch.part == WatchedPart::copy) continue;
      (launch.part == WatchedPart::collective ? communication : computation)
          .push_back({launch.begin_ns, launch.end_ns});
    }
  computation = united(std::move(computation));
  communication = united(std::move(communication));
  const auto mean_s = [&](int64_t ns) {
    return kNs * static_cast<double>(ns) / static_cast<double>(watched.iterations());
  };
  RankActivity activity;
  activity.rank = watched.ranks()[rank].rank;
  activity.iteration_s = mean_s(watched.begin_ns(rank, watched.iterations()) - watched.begin_ns(rank, 0));
  activity.computation_s = mean_s(length_ns(computation));
  const int64_t hidden_ns = common_ns(communication, computation);
  activity.hidden_s = mean_s(hidden_ns);
  activity.exposed_s = mean_s(length_ns(communication) - hidden_ns);
  return activity;
}

/// The waiting of each rank in each iteration, by kind.
class Waiting {
 public:
  explicit Waiting(const CommonIterations& watched) : watched_(watched) {
    for (const CollectiveOfRanks& collective : watched.collectives()) add(collective);
  }

  /// Returns the waiting of a rank in an iteration, in all collectives of a kind.
  std::optional<Interval> of(size_t rank, size_t kind) const {
    if (!watched_.has_kind(rank, kind)) return {};
    return interval(rank, {kind});
  }
  /// Returns the waiting of a rank in an iteration, in all collectives.
  std::optional<Interval> of(size_t rank) const {
    std::set<size_t> all;
    for (size_t kind = 0; kind < watched_.kinds().size(); ++kind)
      if (watched_.has_kind(rank, kind)) all.insert(kind);
    return all.empty() ? std::nullopt : std::optional(interval(rank, all));
  }

 private:
  void add(const CollectiveOfRanks& collective) {
    int64_t last_ns = watched_.at(collective.ranks.front()).begin_ns;
    for (const WatchedCollective& one : collective.ranks)
      last_ns = std::max(last_ns, watched_.at(one).begin_ns);
    for (const WatchedCollective& one : collective.ranks) {
      const WatchedOperation& launch = watched_.at(one);
      auto& sums = waited_s_[{one.rank, collective.kind}];
      sums.resize(watched_.iterations());
      sums[one.iteration] += kNs * static_cast<double>(std::min(last_ns, launch.end_ns) - launch.begin_ns);
      ++counts_[{one.rank, collective.kind}];
    }
  }

  /// The error of the clocks has the same sign in all collectives.
  Interval interval(size_t rank, const std::set<size_t>& kinds) const {
    std::vector<double> waited_s(watched_.iterations());
    double count = 0;
    for (const size_t kind : kinds) {
      const auto found = waited_s_.find({rank, kind});
      if (found == waited_s_.end()) continue;
      for (size_t i = 0; i < waited_s.size(); ++i) waited_s[i] += found->second[i];
      count += static_cast<double>(counts_.at({rank, kind}));
    }
    Interval interval = mean_interval(waited_s);
    interval.half_width += count / static_cast<double>(waited_s.size()) * watched_.clock_error_s();
    return interval;
  }

  const CommonIterations& watched_;
  std::map<std::pair<size_t, size_t>, std::vector<double>> waited_s_;  ///< by rank and kind: each iteration
  std::map<std::pair<size_t, size_t>, size_t> counts_;
};

PathPart path_part(WatchedPart part) {
  switch (part) {
    case WatchedPart::computation:
      return PathPart::computation;
    case WatchedPart::copy:
      return PathPart::copy;
    case WatchedPart::collective:
      return PathPart::moving;
  }
  return PathPart::computation;
}

/// The launches of a rank in all watched iterations, for the critical path.
class PathLaunches {
 public:
  PathLaunches(const CommonIterations& watched, size_t rank) {
    const auto& waits_for = watched.ranks()[rank].waits_for;
    for (size_t iteration = 0; iteration < watched.iterations(); ++iteration) {
      const auto first = static_cast<uint32_t>(launches.size());
      firsts.push_back(first);
      const auto& all = watched.launches(rank, iteration);
      for (size_t place = 0; place < all.size(); ++place) {
        PathLaunch launch{
            all[place].call_ns, all[place].begin_ns, all[place].end_ns, path_part(all[place].part), {}, {}};
        if (waits_for.size() == all.size())
          for (const LaunchIndex before : waits_for[place]) launch.waits_for.push_back(first + before);
        add(std::move(launch), all[place]);
      }
    }
  }

  std::vector<PathLaunch> launches;
  std::vector<uint32_t> names;
  std::vector<uint32_t> firsts;  ///< by iteration

 private:
  /// A launch of which nothing else is known waits for the one before it in its stream.
  void add(PathLaunch launch, const WatchedOperation& watched) {
    const auto last = last_in_stream_.find(watched.stream);
    if (launch.waits_for.empty() && last != last_in_stream_.end()) launch.waits_for.push_back(last->second);
    last_in_stream_[watched.stream] = static_cast<uint32_t>(launches.size());
    launches.push_back(std::move(launch));
    names.push_back(watched.name);
  }

  std::map<uint32_t, uint32_t> last_in_stream_;
};

/// Adds up the critical path, per iteration.
PathSums path_sums(const CommonIterations& watched) {
  std::vector<PathLaunches> ranks;
  for (size_t rank = 0; rank < watched.ranks().size(); ++rank) ranks.emplace_back(watched, rank);
  for (uint32_t number = 0; number < watched.collectives().size(); ++number)
    for (const WatchedCollective& one : watched.collectives()[number].ranks)
      ranks[one.rank].launches[ranks[one.rank].firsts[one.iteration] + one.launch].collective = number;
  std::vector<std::vector<PathLaunch>> timeline;
  for (PathLaunches& rank : ranks) timeline.push_back(std::move(rank.launches));

  const auto iterations = static_cast<double>(watched.iterations());
  PathSums sums;
  sums.parts_s.assign(kPathParts, 0);
  sums.ranks_s.assign(ranks.size(), 0);
  std::map<std::pair<uint32_t, std::string>, PathKernel> kernels;
  std::optional<uint32_t> last;
  for (const PathStretch& stretch : critical_path(timeline)) {
    const double seconds = kNs * static_cast<double>(stretch.end_ns - stretch.begin_ns) / iterations;
    sums.all_s += seconds;
    sums.parts_s[static_cast<size_t>(stretch.part)] += seconds;
    sums.ranks_s[stretch.rank] += seconds;
    if (last && *last != stretch.rank) sums.rank_changes += 1 / iterations;
    last = stretch.rank;
    if (stretch.part == PathPart::idle || stretch.part == PathPart::launch_gap) continue;
    const WatchedRank& rank = watched.ranks()[stretch.rank];
    const std::string& name = rank.names[ranks[stretch.rank].names[stretch.launch]];
    PathKernel& kernel = kernels[{stretch.rank, name}];
    kernel = {rank.rank, name, kernel.launches + 1 / iterations, kernel.seconds + seconds};
  }
  for (auto& [place, kernel] : kernels) sums.kernels.push_back(std::move(kernel));
  std::ranges::stable_sort(sums.kernels, std::greater(), &PathKernel::seconds);
  sums.kernels.resize(std::min(sums.kernels.size(), kMostPathKernels));
  return sums;
}

}  // namespace

double imbalance(const WatchedRanks& watched) {
  double most_s = 0, all_s = 0;
  for (const RankActivity& rank : watched.ranks) {
    most_s = std::max(most_s, rank.computation_s);
    all_s += rank.computation_s;
  }
  return all_s > 0 ? most_s * static_cast<double>(watched.ranks.size()) / all_s - 1 : 0;
}

WatchedRanks compare_watched(std::vector<WatchedRank> of_ranks) {
  const CommonIterations watched(std::move(of_ranks));
  const Waiting waiting(watched);
  const size_t ranks = watched.ranks().size();
  WatchedRanks result;
  result.iterations = watched.iterations();
  result.clock_error_s = watched.clock_error_s();
  result.begin_ns = watched.begin_ns(0, 0);
  result.end_ns = watched.begin_ns(0, watched.iterations());
  for (size_t rank = 0; rank < ranks; ++rank) {
    result.ranks.push_back(activity_of(watched, rank));
    result.ranks.back().waiting_s = waiting.of(rank);
    result.begin_ns = std::min(result.begin_ns, watched.begin_ns(rank, 0));
    result.end_ns = std::max(result.end_ns, watched.begin_ns(rank, watched.iterations()));
  }
  for (size_t kind = 0; kind < watched.kinds().size(); ++kind) {
    const RecordedCollective& like = watched.kinds()[kind];
    CollectiveWaiting of_kind{like.operation, communicator_text(like.communicator), like.bytes, {}};
    for (size_t rank = 0; rank < ranks; ++rank) of_kind.waiting_s.push_back(waiting.of(rank, kind));
    result.collectives.push_back(std::move(of_kind));
  }
  result.path = path_sums(watched);
  return result;
}

}  // namespace kjoule
