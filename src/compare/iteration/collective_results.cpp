#include "compare/iteration/collective_results.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "base/numbers/statistics.hpp"
#include "compare/ranks/recorded_collectives.hpp"

namespace kjoule {

namespace {

/// A collective in a rank's iteration.
struct PlacedCollective : RecordedCollective {
  size_t place = 0;  ///< its index among the rank's collectives
};

std::vector<PlacedCollective> collectives_of(const RankResult& rank, const CollectiveTimes& times) {
  std::vector<PlacedCollective> all;
  for (size_t place = 0; place < times.launches.size(); ++place)
    all.push_back({collective_at(rank.recording, times.launches[place]), place});
  return all;
}

/// The clocks of all ranks during one replay.
class AlignedClocks {
 public:
  /// `replay` has the times of each rank in this replay.
  explicit AlignedClocks(const std::vector<const CollectiveTimes*>& replay) {
    for (const CollectiveTimes* times : replay)
      if (times->position == 0) reference_ = times;
    if (reference_ == nullptr || reference_->before.empty()) return;
    begin_ns_ = reference_->begin_ns.empty() ? 0 : reference_->begin_ns.front();
    end_ns_ = reference_->end_ns.empty() ? 0 : reference_->end_ns.back();
  }
  bool are_known() const { return reference_ != nullptr && !reference_->before.empty(); }

  /// Returns a time of the clock at `position` on the clock of position 0, in ns since the first collective
  /// there.
  double aligned_ns(int64_t ns, uint32_t position) const {
    if (position == 0) return static_cast<double>(ns - begin_ns_);
    const DeviceClockOffset before = reference_->before.at(position), after = reference_->after.at(position);
    const auto since = static_cast<double>(ns - before.ahead_ns - begin_ns_);
    const double share = end_ns_ > begin_ns_ ? since / static_cast<double>(end_ns_ - begin_ns_) : 0;
    return since - std::clamp(share, 0.0, 1.0) * static_cast<double>(after.ahead_ns - before.ahead_ns);
  }
  /// Returns the largest error of the difference between two clocks, ns.
  double error_ns() const {
    std::vector<double> halves{0, 0};
    for (size_t position = 1; position < reference_->before.size(); ++position)
      halves.push_back(0.5 * static_cast<double>(std::max(reference_->before[position].round_trip_ns,
                                                          reference_->after[position].round_trip_ns)));
    std::ranges::sort(halves, std::greater<>());
    return halves[0] + halves[1];
  }

 private:
  const CollectiveTimes* reference_ = nullptr;
  int64_t begin_ns_ = 0, end_ns_ = 0;
};

/// The collectives of the ranks that belong together, and their waiting.
class CollectiveSums {
 public:
  CollectiveSums(const std::vector<RankResult>& ranks, const ReplayedCollectives& replayed)
      : ranks_(ranks), replayed_(replayed) {
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      placed_.push_back(collectives_of(ranks[rank], replayed.ranks[rank].replays.front()));
      for (const PlacedCollective& one : placed_.back())
        by_communicator_[one.communicator][rank].push_back(&one);
    }
  }

  std::vector<CollectiveResult> results() {
    for (const std::vector<PlacedCollective>& of_rank : placed_)
      for (const PlacedCollective& one : of_rank) kind_of(one);
    for (size_t replay = 0; replay < replays(); ++replay) add_waiting(replay);
    for (Kind& kind : kinds_) finish(kind);
    std::vector<CollectiveResult> results;
    for (Kind& kind : kinds_) results.push_back(std::move(kind.result));
    return results;
  }

 private:
  using OfRanks = std::map<size_t, std::vector<const PlacedCollective*>>;
  struct Kind {
    PlacedCollective like;
    CollectiveResult result;
    std::map<size_t, std::vector<double>> waiting_s;  ///< by rank: of each replay
    bool is_complete = true;  ///< whether the waiting of each of its collectives is known
  };

  size_t replays() const {
    size_t fewest = SIZE_MAX;
    for (const CollectiveReplays& rank : replayed_.ranks) fewest = std::min(fewest, rank.replays.size());
    return fewest;
  }

  Kind& kind_of(const PlacedCollective& one) {
    const auto found = std::ranges::find_if(kinds_, [&](const Kind& kind) { return kind.like.is_like(one); });
    if (found != kinds_.end()) return *found;
    Kind kind{one, {}, {}, synchronising(one.operation) != nullptr};
    kind.result.operation = one.operation;
    kind.result.communicator = one.communicator;
    kind.result.message_bytes = one.bytes;
    kinds_.push_back(std::move(kind));
    return kinds_.back();
  }

  /// Returns whether the ranks of a communicator have the same operations in the same order.
  static bool agree(const OfRanks& ranks) {
    const auto& first = ranks.begin()->second;
    return ranks.size() > 1 && std::ranges::all_of(ranks, [&](const auto& other) {
             return std::ranges::equal(first, other.second, [](const auto* a, const auto* b) {
               return a->operation == b->operation && a->bytes == b->bytes;
             });
           });
  }

  void add_waiting(size_t replay) {
    std::vector<const CollectiveTimes*> times;
    for (const CollectiveReplays& rank : replayed_.ranks) times.push_back(&rank.replays[replay]);
    const AlignedClocks clocks(times);
    for (const auto& [communicator, ranks] : by_communicator_) {
      const bool is_known = clocks.are_known() && agree(ranks);
      for (size_t number = 0; number < ranks.begin()->second.size(); ++number) {
        Kind& kind = kind_of(*ranks.begin()->second[number]);
        kind.is_complete = kind.is_complete && is_known;
        if (!kind.is_complete) continue;
        kind.result.clock_error_s = std::max(kind.result.clock_error_s, 1e-9 * clocks.error_ns());
        add_waiting_of(kind, ranks, number, replay, times, clocks);
      }
    }
  }

  static void add_waiting_of(Kind& kind, const OfRanks& ranks, size_t number, size_t replay,
                             const std::vector<const CollectiveTimes*>& times, const AlignedClocks& clocks) {
    std::map<size_t, double> begins_ns;
    double last_ns = -std::numeric_limits<double>::infinity();
    for (const auto& [rank, collectives] : ranks) {
      const int64_t begin_ns = times[rank]->begin_ns.at(collectives[number]->place);
      begins_ns[rank] = clocks.aligned_ns(begin_ns, times[rank]->position);
      last_ns = std::max(last_ns, begins_ns[rank]);
    }
    for (const auto& [rank, begin_ns] : begins_ns) {
      std::vector<double>& of_rank = kind.waiting_s[rank];
      of_rank.resize(replay + 1);
      of_rank[replay] += 1e-9 * (last_ns - begin_ns);
    }
  }

  void finish(Kind& kind) const {
    CollectiveResult& result = kind.result;
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      CollectiveOnRank on_rank;
      size_t count = 0;
      for (const PlacedCollective& one : placed_[rank]) {
        if (!one.is_like(kind.like)) continue;
        ++count;
        if (one.launch < ranks_[rank].launch_s.size()) on_rank.time_s += ranks_[rank].launch_s[one.launch];
      }
      if (count == 0) continue;
      if (const auto waiting = kind.waiting_s.find(rank);
          kind.is_complete && waiting != kind.waiting_s.end()) {
        on_rank.waiting_s = mean_interval(waiting->second);
        on_rank.waiting_s->half_width += static_cast<double>(count) * result.clock_error_s;
      }
      result.count = std::max(result.count, count);
      result.ranks.push_back(on_rank);
      result.of_ranks.push_back(rank);
    }
    const SynchronisingOperation* operation = synchronising(result.operation);
    result.bytes =
        kind.like.bytes * (operation != nullptr && operation->states_part ? result.ranks.size() : 1);
  }

  const std::vector<RankResult>& ranks_;
  const ReplayedCollectives& replayed_;
  std::vector<std::vector<PlacedCollective>> placed_;  ///< by rank
  std::map<uint64_t, OfRanks> by_communicator_;
  std::vector<Kind> kinds_;
};

}  // namespace

std::optional<Interval> CollectiveResult::moving_s() const {
  Interval moving;
  for (const CollectiveOnRank& rank : ranks) {
    if (!rank.waiting_s) return {};
    moving.value += rank.time_s - rank.waiting_s->value;
    moving.half_width += rank.waiting_s->half_width;
  }
  const double all = static_cast<double>(ranks.size()) * static_cast<double>(count);
  return Interval{moving.value / all, moving.half_width / all};
}

std::optional<double> CollectiveResult::algorithm_bandwidth() const {
  const auto moving = moving_s();
  if (!moving || moving->value <= 0 || bytes == 0) return {};
  return static_cast<double>(bytes) / moving->value;
}

std::optional<double> CollectiveResult::bus_bandwidth() const {
  const auto algorithm = algorithm_bandwidth();
  const SynchronisingOperation* known = synchronising(operation);
  if (!algorithm || known == nullptr) return {};
  const auto n = static_cast<double>(ranks.size());
  return *algorithm * known->factor * (n - 1) / n;
}

std::vector<CollectiveResult> collective_results(const std::vector<RankResult>& ranks,
                                                 const ReplayedCollectives& replayed) {
  const bool is_complete =
      replayed.ranks.size() == ranks.size() && !ranks.empty() &&
      std::ranges::none_of(replayed.ranks, &std::vector<CollectiveTimes>::empty, &CollectiveReplays::replays);
  return is_complete ? CollectiveSums(ranks, replayed).results() : std::vector<CollectiveResult>();
}

std::vector<double> waiting_of_ranks(const std::vector<RankResult>& ranks,
                                     const ReplayedCollectives& replayed) {
  std::vector<double> waiting_s(ranks.size());
  for (const CollectiveResult& kind : collective_results(ranks, replayed))
    for (size_t i = 0; i < kind.ranks.size(); ++i) {
      if (!kind.ranks[i].waiting_s) return {};
      waiting_s.at(kind.of_ranks[i]) += std::max(0.0, kind.ranks[i].waiting_s->value);
    }
  return waiting_s;
}

}  // namespace kjoule
