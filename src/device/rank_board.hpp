#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// The error of a rank that stopped waiting because another rank has failed.
constexpr const char* kAnotherRankFailed = "another rank of the program failed";

/// Largest number of a program's processes that can be measured together.
constexpr size_t kMostRanks = 64;

/// A place between two launches of a rank: after the rank has launched `collectives` collectives, and then
/// has made `calls` driver calls that launch work. If the next collective comes before so many calls, the
/// place is right before this collective. Collectives are counted because all ranks launch them in the same
/// order.
struct RankPlace {
  uint64_t collectives = 0;
  uint64_t calls = 0;
  bool operator==(const RankPlace&) const = default;
};

/// The progress of a following rank, counted in collectives.
struct FollowerProgress {
  uint32_t rank = 0;
  uint64_t collectives = 0;
  /// Collectives per iteration of the loop that this rank has found itself; nothing if it has found none.
  std::optional<uint64_t> of_iteration;
};

/// The iteration that all ranks record: it begins at `begin` and has `period` collectives.
struct SharedCut {
  RankPlace begin;
  uint64_t period = 0;
  /// True if the ranks have different numbers of collectives per iteration, as stages of a pipeline have, or
  /// if they have not counted them from the same launch. Each rank then records an iteration of the loop that
  /// it has found itself.
  bool is_of_own_loops = false;
  int64_t iteration_ns = 0;  ///< duration of an iteration on the leading rank
  bool operator==(const SharedCut&) const = default;
};

/// Memory of a rank's GPU that the GPUs of other ranks may write, as CUDA describes it.
struct RankMemory {
  uint64_t process = 0;                ///< process id of the rank
  uint64_t context = 0, address = 0;   ///< valid in this process
  std::array<std::byte, 64> handle{};  ///< with which other processes open the memory
};

/// The state that the ranks of a program and kjoule share, in memory that all of them map: the progress of
/// the ranks, the iteration that they record, and their votes. A rank has a number on the board, from 0 in
/// the order of come(). It may differ from its rank in the program.
class RankBoard {
  static constexpr uint32_t kAllRest = 1u << 31;

 public:
  /// The decision on the iteration to record.
  enum class Decision : uint32_t {
    none,
    cut,       ///< the ranks record the iteration of cut()
    alone,     ///< the leading rank is recorded alone, because its iteration has no collectives
    given_up,  ///< the ranks no longer wait for each other, because a rank has failed or does not answer
  };

  /// Adds a rank and returns its number. Throws Error if there are kMostRanks already.
  uint32_t come();
  /// Makes this rank the leading rank, which searches for the iteration.
  void lead(uint32_t rank) { leader_ = rank + 1; }
  bool is_leader(uint32_t rank) const { return leader_ == rank + 1; }
  /// Registers that this rank follows the leading rank.
  void follow(uint32_t rank) { ranks_[rank].follows = true; }
  bool follows(uint32_t rank) const { return ranks_[rank].follows; }
  /// Returns the number of following ranks.
  uint32_t followers() const;

  /// Sets the number of collectives that a rank has launched.
  void set_collectives(uint32_t rank, uint64_t count) { ranks_[rank].collectives = count; }
  /// Returns the largest number of collectives that the leading rank or a following rank has launched.
  uint64_t most_collectives() const;

  /// Registers that a rank has found a loop whose iterations have `collectives` collectives each.
  void set_loop(uint32_t rank, uint64_t collectives) { ranks_[rank].loop = collectives + 1; }
  void forget_loop(uint32_t rank) { ranks_[rank].loop = 0; }
  std::vector<FollowerProgress> progress_of_followers() const;

  /// Announces the iteration to record. The leading rank and all ranks that follow it at this time become the
  /// members of the announced group.
  void announce(const SharedCut& cut);
  /// Announces the iteration to record for `leader` and `others`, which are GPUs of one process and need not
  /// follow.
  void announce_for(const SharedCut& cut, uint32_t leader, const std::vector<uint32_t>& others);
  /// Announces that the leading rank is recorded alone.
  void go_alone() { decide(Decision::alone); }
  /// Makes every rank that waits for other ranks stop waiting.
  void give_up() { decision_ = Decision::given_up; }
  Decision decision() const { return decision_; }
  /// Returns how many times a decision (cut or alone) was announced.
  uint32_t announcements() const { return announcements_; }
  /// Returns the announced iteration.
  SharedCut cut() const { return cuts_[announcements_ % 2]; }

  /// Returns whether this rank belongs to the announced group.
  bool is_member(uint32_t rank) const { return (members_ >> rank & 1) != 0; }
  /// Returns the number of ranks in the announced group.
  uint32_t members() const;
  /// Returns the position of a rank among the members, from 0.
  uint32_t position(uint32_t rank) const;

  /// Casts the rank's vote on its next question, and returns at once. Members vote on the same questions in
  /// the same order. count_votes() returns the answer.
  void vote(uint32_t rank, bool yes);
  /// Returns whether at least one member voted yes on the question on which this rank voted last. Returns
  /// nothing until all members have voted on this question.
  std::optional<bool> count_votes(uint32_t rank) const;

  /// Returns the number of rounds that have begun. In each round, the ranks that rest continue for one
  /// iteration.
  uint32_t rounds() const { return rounds_; }
  /// Registers that a rank rests in this round: it is paused at the begin of an iteration, and its GPU is
  /// idle.
  void rest(uint32_t rank, uint32_t round) { ranks_[rank].rests_in = round + 1; }
  /// Begins the round after `round`, in which resting ranks continue for one iteration. Does nothing if the
  /// round after `round` has begun already, or if all ranks rest.
  void begin_round(uint32_t round) { rounds_.compare_exchange_strong(round, round + 1); }
  /// Returns whether a round after `round` has begun.
  bool has_begun_after(uint32_t round) const { return (rounds_ & ~kAllRest) != round; }
  /// Returns whether all members rest. If they do, no further round can begin.
  bool all_rest();

  /// Registers that a rank has reached this stage of its return to the program (Peers::part()). `failed`: its
  /// memory could not be restored.
  void part(uint32_t rank, uint32_t stage, bool failed) { ranks_[rank].parts = 2 * stage + (failed ? 1 : 0); }
  /// Returns whether a member that has reached the stage has failed. Returns nothing until all members have
  /// reached the stage.
  std::optional<bool> has_failed_at(uint32_t stage) const;

  /// Sets the memory of a rank that other ranks may write. They may read the description after they have
  /// counted a vote that this rank has cast later.
  void set_memory(uint32_t rank, const RankMemory& memory) { memories_[rank] = memory; }
  const RankMemory& memory(uint32_t rank) const { return memories_[rank]; }

  /// Registers that a rank has completed one step of a replay.
  void advance(uint32_t rank) { ++ranks_[rank].steps; }
  /// Returns a number that changes with every progress of any rank: a collective, a rest, a vote, or a step
  /// of replaying.
  uint64_t steps() const;

  /// Returns the words in which the members' GPUs count the places that they have reached. The word of the
  /// member at position p has the index p x kSignalWords.
  uint32_t* signals() { return &signals_[0][0]; }
  static constexpr size_t kSignalWords = 32;  // 128 bytes, so that no two members share a cache line

 private:
  struct alignas(128) Rank {
    std::atomic<uint64_t> collectives;
    std::atomic<bool> follows;
    std::atomic<uint64_t> loop;       ///< collectives per iteration of its loop + 1; 0 without a loop
    std::atomic<uint32_t> rests_in;   ///< round in which it rests, + 1; 0 if it does not rest
    std::atomic<uint32_t> questions;  ///< number of questions on which it has voted
    std::atomic<bool> votes[2];       ///< its votes on the last two questions; odd ones have index 1
    std::atomic<uint64_t> steps;      ///< number of steps of replaying
    std::atomic<uint32_t> parts;      ///< twice the stage of its return, + 1 if it has failed
  };
  void decide(Decision decision);
  void announce_to(uint64_t members, const SharedCut& cut);
  static_assert(std::atomic<uint64_t>::is_always_lock_free, "processes cannot share a lock of one of them");

  bool takes_part(uint32_t rank) const { return follows(rank) || is_leader(rank); }

  std::atomic<uint32_t> came_, leader_, announcements_;
  std::atomic<uint32_t> rounds_;  ///< number of rounds begun; has the bit kAllRest when all ranks rest
  std::atomic<Decision> decision_;
  std::atomic<uint64_t> members_;  ///< bit r is set if rank r is a member
  SharedCut cuts_[2];              ///< the last two announced iterations
  Rank ranks_[kMostRanks];
  RankMemory memories_[kMostRanks];
  alignas(4096) uint32_t signals_[kMostRanks][kSignalWords];
};

/// A RankBoard that several processes map.
class SharedRankBoard {
 public:
  /// Makes an empty board. Throws Error if the system refuses.
  SharedRankBoard();
  /// Maps the board of another process by its path(). Throws Error if the board cannot be mapped.
  explicit SharedRankBoard(const std::string& path);
  ~SharedRankBoard();
  SharedRankBoard(const SharedRankBoard&) = delete;
  SharedRankBoard& operator=(const SharedRankBoard&) = delete;

  RankBoard& operator*() const { return *board_; }
  RankBoard* operator->() const { return board_; }
  /// Returns the path by which other processes can map the board as long as this object exists.
  std::string path() const;

 private:
  void map();

  int file_ = -1;
  RankBoard* board_ = nullptr;
};

}  // namespace kjoule
