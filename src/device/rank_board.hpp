#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// The error of a rank that stopped waiting because another one has failed.
constexpr const char* kAnotherRankFailed = "another rank of the program failed";

/// Most processes of a program that can be measured together.
constexpr size_t kMostRanks = 64;

/// A place between two launches of a rank, counted in collectives, which all ranks launch in the same order:
/// after `collectives` of them and `calls` further driver calls that launch work, or right before the next
/// collective if that comes first.
struct RankPlace {
  uint64_t collectives = 0;
  uint64_t calls = 0;
  bool operator==(const RankPlace&) const = default;
};

/// What a rank that follows has launched.
struct FollowerProgress {
  uint32_t rank = 0;
  uint64_t collectives = 0;
  std::optional<uint64_t> of_iteration;  ///< collectives of an iteration of its own loop, if it has found one
};

/// The iteration that all ranks record: it begins at `begin` and has `period` collectives. If the ranks have
/// different numbers of collectives (stages of a pipeline), each records an iteration of the loop that it has
/// found itself instead.
struct SharedCut {
  RankPlace begin;
  uint64_t period = 0;
  bool is_of_own_loops = false;
  int64_t iteration_ns = 0;  ///< the leader's time for an iteration
  bool operator==(const SharedCut&) const = default;
};

/// What the ranks of a program and kjoule share: where the ranks are, which iteration they record, and what
/// they agree on. It lies in memory that all of them map. A rank has a number on the board, from 0 in the
/// order in which the ranks came, which need not be its rank in the program.
class RankBoard {
  static constexpr uint32_t kAllRest = 1u << 31;

 public:
  /// What has been decided about the iteration.
  enum class Decision : uint32_t {
    none,
    cut,       ///< the ranks record the iteration of cut()
    alone,     ///< the leader's iteration has no collectives: it is recorded alone
    given_up,  ///< a rank has failed, or does not answer
  };

  /// Returns the number of a rank that comes now. Throws Error if there are kMostRanks already.
  uint32_t come();
  /// Makes this rank the leader, which searches for the iteration.
  void lead(uint32_t rank) { leader_ = rank + 1; }
  bool is_leader(uint32_t rank) const { return leader_ == rank + 1; }
  /// Takes note that this rank follows the leader.
  void follow(uint32_t rank) { ranks_[rank].follows = true; }
  bool follows(uint32_t rank) const { return ranks_[rank].follows; }
  /// Returns the number of ranks that follow.
  uint32_t followers() const;

  /// Takes note that a rank has launched so many collectives.
  void set_collectives(uint32_t rank, uint64_t count) { ranks_[rank].collectives = count; }
  /// Returns the largest number of collectives that a rank has launched: of the leader and its followers.
  uint64_t most_collectives() const;

  /// Takes note that a rank has found a loop whose iterations have so many collectives.
  void set_loop(uint32_t rank, uint64_t collectives) { ranks_[rank].loop = collectives + 1; }
  void forget_loop(uint32_t rank) { ranks_[rank].loop = 0; }
  std::vector<FollowerProgress> progress_of_followers() const;

  /// Announces the iteration to the followers, which become the leader's group.
  void announce(const SharedCut& cut);
  /// Announces that the leader is recorded alone.
  void go_alone() { decide(Decision::alone); }
  /// Makes every rank that waits for others stop waiting.
  void give_up() { decision_ = Decision::given_up; }
  Decision decision() const { return decision_; }
  /// Returns how many times a decision was announced.
  uint32_t announcements() const { return announcements_; }
  /// Returns the announced iteration.
  SharedCut cut() const { return cuts_[announcements_ % 2]; }

  /// Returns whether this rank belongs to the announced group.
  bool is_member(uint32_t rank) const { return (members_ >> rank & 1) != 0; }
  /// Returns the number of ranks in the announced group.
  uint32_t members() const;
  /// Returns the position of a rank among the members, from 0.
  uint32_t position(uint32_t rank) const;

  /// Votes on the next question and returns at once; count_votes() returns the answer.
  void vote(uint32_t rank, bool yes);
  /// Returns whether a member voted yes on the question on which this rank voted last; nothing as long as not
  /// all have voted.
  std::optional<bool> count_votes(uint32_t rank) const;

  /// Returns how many times ranks that had come to rest went on for an iteration (come_to_rest()).
  uint32_t rounds() const { return rounds_; }
  /// Takes note that a rank is paused where an iteration of it begins, and its GPU is idle, in this round.
  void rest(uint32_t rank, uint32_t round) { ranks_[rank].rests_in = round + 1; }
  /// Makes ranks that rest go on for an iteration, unless another rank has done so in this round, or all
  /// rest.
  void begin_round(uint32_t round) { rounds_.compare_exchange_strong(round, round + 1); }
  /// Returns whether a round has begun after this one.
  bool has_begun_after(uint32_t round) const { return (rounds_ & ~kAllRest) != round; }
  /// Returns whether all members rest. No round begins from then on.
  bool all_rest();

  /// Takes note that a rank has come one step further with replaying.
  void advance(uint32_t rank) { ++ranks_[rank].steps; }
  /// Returns a number that changes as long as any rank comes further: it launches collectives, comes to rest,
  /// votes, or replays.
  uint64_t steps() const;

  /// Returns the words in which the members' GPUs count the places that they have reached, one for each
  /// position, kSignalWords apart.
  uint32_t* signals() { return &signals_[0][0]; }
  static constexpr size_t kSignalWords = 32;  // a cache line of the host's memory each

 private:
  struct alignas(128) Rank {
    std::atomic<uint64_t> collectives;
    std::atomic<bool> follows;
    std::atomic<uint64_t> loop;       ///< collectives of an iteration + 1; 0 if it has found none
    std::atomic<uint32_t> rests_in;   ///< round + 1; 0 if it does not rest
    std::atomic<uint32_t> questions;  ///< on which the rank has voted
    std::atomic<bool> votes[2];       ///< on the last two questions
    std::atomic<uint64_t> steps;      ///< of replaying
  };
  void decide(Decision decision);
  static_assert(std::atomic<uint64_t>::is_always_lock_free, "processes cannot share a lock of one of them");

  bool takes_part(uint32_t rank) const { return follows(rank) || is_leader(rank); }

  std::atomic<uint32_t> came_, leader_, announcements_;
  std::atomic<uint32_t> rounds_;  ///< with kAllRest when all have come to rest
  std::atomic<Decision> decision_;
  std::atomic<uint64_t> members_;  ///< bits
  SharedCut cuts_[2];              ///< the last two announced ones
  Rank ranks_[kMostRanks];
  alignas(4096) uint32_t signals_[kMostRanks][kSignalWords];
};

/// A RankBoard that several processes map.
class SharedRankBoard {
 public:
  /// Makes an empty board. Throws Error if the system refuses.
  SharedRankBoard();
  /// Maps the board of another process by its path(). Throws Error if that is impossible.
  explicit SharedRankBoard(const std::string& path);
  ~SharedRankBoard();
  SharedRankBoard(const SharedRankBoard&) = delete;
  SharedRankBoard& operator=(const SharedRankBoard&) = delete;

  RankBoard& operator*() const { return *board_; }
  RankBoard* operator->() const { return board_; }
  /// Returns the path by which other processes map the board, as long as this object exists.
  std::string path() const;

 private:
  void map();

  int file_ = -1;
  RankBoard* board_ = nullptr;
};

}  // namespace kjoule
