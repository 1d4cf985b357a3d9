#include "device/ranked_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <string_view>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "device/connection.hpp"
#include "device/protocol.hpp"

namespace kjoule {

namespace {

constexpr int kLook_ms = 20;
/// Longest time in which ranks that replay do not come further: longer than they need to hash or copy their
/// memory, or to run an iteration.
constexpr int64_t kStuck_ns = 20'000'000'000;
/// Longest time until a rank that has failed says so, after the others know it.
constexpr int kCausePatience_ms = 2000;

/// Returns whether two ranks have launched the same kernels, so that stamps are at the same places on both.
bool have_equal_launches(const Recording& one, const Recording& other) {
  return one.edges == other.edges &&
         std::ranges::equal(one.launches, other.launches, {}, &Launch::name, &Launch::name);
}

/// Returns the work of a rank while another one, whose iteration has `length` launches, does `work`: as many
/// iterations of its own, with stamps where a track needs them. Throws DeviceError for launches in another
/// order than the iteration's.
StampedWork accompany(const StampedWork& work, size_t length, size_t own_length) {
  for (size_t place = 0; place < work.launches.size(); ++place)
    if (work.launches[place] != place % length)
      throw DeviceError("the ranks launch different kernels, so that single ones cannot be replayed in step",
                        "");
  const size_t iterations = (work.launches.size() + length - 1) / length;
  StampedWork own;
  for (size_t place = 0; place < iterations * own_length; ++place)
    own.launches.push_back(static_cast<LaunchIndex>(place % own_length));
  own.stamped_after = {0, static_cast<uint32_t>(own.launches.size() - 1)};
  return own;
}

}  // namespace

/// The connections to the ranks.
class RankGroup {
 public:
  explicit RankGroup(std::shared_ptr<InjectedProgram> program) : program_(std::move(program)) {
    members_.push_back(
        {std::make_shared<Connection>(program_), &program_->process(), program_->info(), 0, {}});
  }
  ~RankGroup() {
    if (members_.size() > 1) (*program_->board())->give_up();  // ranks that still wait for others end
  }

  /// Records what `operation` asks the first rank for, and lets the others that are linked meanwhile follow.
  nlohmann::json record(const char* operation, nlohmann::json body) {
    members_.resize(1);
    members_[0].request = members_[0].connection->send(operation, std::move(body));
    std::vector<nlohmann::json> recordings = replies(operation, true);
    if (program_->board() == nullptr) return recordings[0];
    program_->link_no_more();
    const RankBoard& board = **program_->board();
    if (board.decision() != RankBoard::Decision::cut) {
      release_others();
      return recordings[0];
    }
    std::vector<Member> recorded;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (i > 0 && !board.is_member(members_[i].info.rank.board.value())) continue;
      ranks_.push_back({members_[i].info, read_fields<Recording>(recordings[i], "reply to record"),
                        members_[i].process->pid()});
      recorded.push_back(std::move(members_[i]));
    }
    members_ = std::move(recorded);
    sort_ranks();
    if (ranks_.size() == 1) ranks_.clear();
    return recordings[0];
  }

  /// Sends a request to all ranks, and returns the reply of the rank in use.
  nlohmann::json call(const char* operation, const nlohmann::json& body = nlohmann::json::object()) {
    for (Member& member : members_) member.request = member.connection->send(operation, body);
    return std::move(replies(operation)[used_]);
  }
  /// Returns the replies to the last requests. Throws the first error among them. If `others_may_come`, ranks
  /// that are linked meanwhile follow.
  std::vector<nlohmann::json> replies(const char* operation, bool others_may_come = false) {
    const int64_t begin_ns = SteadyClock().now_ns();
    Progress progress{steps(), begin_ns};
    std::vector<std::optional<nlohmann::json>> received;
    for (;;) {
      if (others_may_come) let_others_follow();
      received.resize(members_.size());
      std::vector<int> waited_for;
      for (size_t i = 0; i < members_.size(); ++i) {
        if (!received[i]) received[i] = receive(i, operation, begin_ns);
        if (!received[i]) waited_for.push_back(members_[i].process->socket());
        if (!received[i]) waited_for.push_back(members_[i].process->end_event());
      }
      if (waited_for.empty()) break;
      if (is_alone_recorded(received, others_may_come)) break;
      throw_if_stuck(progress);
      program_->await(waited_for, kLook_ms);
    }
    std::vector<nlohmann::json> all;
    for (auto& reply : received) all.push_back(reply.value_or(nlohmann::json()));
    return all;
  }

  std::vector<uint64_t> open(const TrackSpec& spec) {
    std::vector<nlohmann::json> specs;
    for (size_t i = 0; i < members_.size(); ++i) specs.push_back(write_fields(spec_for(i, spec)));
    for (size_t i = 0; i < members_.size(); ++i)
      members_[i].request = members_[i].connection->send("open", {{"spec", std::move(specs[i])}});
    std::vector<uint64_t> tracks;
    for (const nlohmann::json& reply : replies("open")) tracks.push_back(reply.at("track").get<uint64_t>());
    return tracks;
  }
  void send(const char* operation, const std::vector<uint64_t>& tracks,
            nlohmann::json body = nlohmann::json::object()) {
    for (size_t i = 0; i < members_.size(); ++i) {
      body["track"] = tracks[i];
      members_[i].request = members_[i].connection->send(operation, body);
    }
  }
  const DeviceInfo& info() const { return members_[used_].info; }
  const std::vector<RecordedRank>& ranks() const { return ranks_; }
  void use_as(size_t rank) { used_ = rank; }
  size_t used() const { return used_; }
  std::vector<uint64_t> requests() const {
    std::vector<uint64_t> ids;
    for (const Member& member : members_) ids.push_back(member.request);
    return ids;
  }
  void set_requests(const std::vector<uint64_t>& ids) {
    for (size_t i = 0; i < members_.size(); ++i) members_[i].request = ids[i];
  }

 private:
  struct Member {
    std::shared_ptr<Connection> connection;
    MeasuredProcess* process;
    DeviceInfo info;
    uint64_t request;  ///< number of the last one
    std::shared_ptr<RankLink> link;
  };

  /// How far the ranks were when they came further last.
  struct Progress {
    uint64_t steps;
    int64_t since_ns;
  };

  uint64_t steps() const { return program_->board() == nullptr ? 0 : (*program_->board())->steps(); }

  /// Throws StuckError if the ranks replay, but none of them comes further.
  void throw_if_stuck(Progress& progress) {
    if (members_.size() == 1 || (*program_->board())->decision() != RankBoard::Decision::cut) return;
    const int64_t now_ns = SteadyClock().now_ns();
    if (steps() != progress.steps) progress = {steps(), now_ns};
    if (now_ns - progress.since_ns < kStuck_ns) return;
    (*program_->board())->give_up();
    throw StuckError(
        fmt::format(
            "the ranks of the program did not come further for {} s: replayed in the order in which each "
            "rank launched them, their collectives wait for each other, or for a process of the host",
            kStuck_ns / 1'000'000'000),
        "choose one process with --rank R and a part of it without collectives with --range NAME");
  }

  /// Returns whether ranks of the program are on other machines, where they cannot be paused.
  bool has_ranks_elsewhere() const {
    const RankFacts& facts = members_[0].info.rank;
    return facts.ranks.value_or(1) > facts.local_ranks.value_or(facts.ranks.value_or(1));
  }

  void let_others_follow() {
    if (program_->board() == nullptr || has_ranks_elsewhere()) return;
    for (const auto& link : program_->other_ranks()) {
      const bool is_known = std::ranges::any_of(members_, [&](const Member& m) { return m.link == link; });
      if (is_known) continue;
      Member member{std::make_shared<Connection>(link), &link->process(), link->info(), 0, link};
      member.request = member.connection->send("follow");
      members_.push_back(std::move(member));
    }
  }

  /// Returns whether the first rank has answered, and the others need not.
  bool is_alone_recorded(const std::vector<std::optional<nlohmann::json>>& received, bool recording) const {
    return recording && received[0] && program_->board() != nullptr &&
           (*program_->board())->decision() != RankBoard::Decision::cut;
  }

  /// Returns the reply of a member, if it is there. Throws the error in it, and that of a process that ended.
  std::optional<nlohmann::json> receive(size_t i, const char* operation, int64_t begin_ns) {
    Member& member = members_[i];
    try {
      for (;;) {
        const std::chrono::nanoseconds waited(SteadyClock().now_ns() - begin_ns);
        if (!member.connection->has_reply(member.request)) {
          if (!member.process->has_message(operation, waited)) return {};
          if (!member.connection->receive_reply(member.request)) continue;
        }
        return member.connection->reply(member.request);
      }
    } catch (const Error& error) {
      if (members_.size() == 1) throw;
      (*program_->board())->give_up();
      const bool is_cause = std::string_view(error.what()) != kAnotherRankFailed;
      if (!is_cause && std::exchange(searches_cause_, true)) return nlohmann::json();
      if (!is_cause) await_cause(operation, begin_ns);
      throw_of(i, error);
    }
  }

  /// Waits some time for the error of the rank that has failed, of which another one only knows that it has.
  void await_cause(const char* operation, int64_t begin_ns) {
    for (int waited_ms = 0; waited_ms < kCausePatience_ms; waited_ms += kLook_ms) {
      for (size_t i = 0; i < members_.size(); ++i) receive(i, operation, begin_ns);
      std::this_thread::sleep_for(std::chrono::milliseconds(kLook_ms));
    }
  }

  /// Throws the error of a member, with its rank.
  [[noreturn]] void throw_of(size_t i, const Error& error) const {
    const auto* device = dynamic_cast<const DeviceError*>(&error);
    const std::string who = rank_name(members_[i].info.rank, members_[i].process->pid()), what = error.what();
    throw DeviceError(what.starts_with(who) ? what : who + ": " + what, error.remedy(),
                      device ? device->launch : std::nullopt, true);
  }

  /// Puts the others in the order of their ranks. Requests are sent in the order of the members.
  void sort_ranks() {
    const auto by_rank = [](const auto& one, const auto& other) {
      return one.info.rank.rank < other.info.rank.rank;
    };
    std::stable_sort(members_.begin() + 1, members_.end(), by_rank);
    std::stable_sort(ranks_.begin() + 1, ranks_.end(), by_rank);
  }

  void release_others() {
    for (size_t i = 1; i < members_.size(); ++i) {
      try {
        send_message(members_[i].process->socket(),
                     refusal_message(Error("the measured process has no collectives")));
      } catch (const Error&) {  // the process has ended
      }
    }
    members_.resize(1);
  }

  TrackSpec spec_for(size_t member, const TrackSpec& spec) const {
    const auto* stamped = std::get_if<StampedWork>(&spec);
    if (member == used_ || stamped == nullptr) return spec;
    const Recording& used = ranks_[used_].recording;
    const Recording& own = ranks_[member].recording;
    if (have_equal_launches(used, own)) return spec;
    return accompany(*stamped, used.launches.size(), own.launches.size());
  }

  std::shared_ptr<InjectedProgram> program_;
  std::vector<Member> members_;  ///< the first rank first
  std::vector<RecordedRank> ranks_;
  size_t used_ = 0;
  bool searches_cause_ = false;  ///< whether await_cause() has begun
};

namespace {

/// The tracks of all ranks, which are replayed in step.
class RankedTrack final : public Track {
 public:
  RankedTrack(RankGroup& group, const TrackSpec& spec) : group_(group), tracks_(group.open(spec)) {}
  ~RankedTrack() override {
    try {
      group_.send("close", tracks_);
      group_.replies("close");
    } catch (const Error&) {  // a lost process has no tracks to close
    }
  }
  void enqueue(int repeats) override {
    group_.send("enqueue", tracks_, {{"repeats", repeats}});
    under_way_.push_back(group_.requests());
  }
  void pause(double seconds) override {
    group_.send("pause", tracks_, {{"seconds", seconds}});
    group_.replies("pause");
  }
  TrackTiming wait() override {
    group_.set_requests(under_way_.front());
    under_way_.pop_front();
    group_.replies("enqueue");
    group_.send("wait", tracks_);
    return read_fields<TrackTiming>(group_.replies("wait")[group_.used()], "reply to wait");
  }

 private:
  RankGroup& group_;
  std::vector<uint64_t> tracks_;
  std::deque<std::vector<uint64_t>> under_way_;  ///< requests of the enqueues in progress
};

}  // namespace

RankedDevice::RankedDevice(std::shared_ptr<InjectedProgram> program)
    : group_(std::make_unique<RankGroup>(std::move(program))) {}

RankedDevice::~RankedDevice() = default;

const DeviceInfo& RankedDevice::info() const {
  return group_->info();
}

Recording RankedDevice::record() {
  return read_fields<Recording>(group_->record("record", nlohmann::json::object()), "reply to record");
}

std::optional<Recording> RankedDevice::record_window(const WindowSearch& search) {
  const nlohmann::json recording = group_->record("record_window", {{"search", write_fields(search)}});
  if (recording.is_null()) return std::nullopt;
  return read_fields<Recording>(recording, "reply to record_window");
}

Verification RankedDevice::verify() {
  return read_fields<Verification>(group_->call("verify"), "reply to verify");
}

std::unique_ptr<Track> RankedDevice::open(const TrackSpec& spec) {
  return std::make_unique<RankedTrack>(*group_, spec);
}

std::optional<Observation> RankedDevice::observe() {
  const nlohmann::json observation = group_->call("observe");
  if (observation.is_null()) return std::nullopt;
  return read_fields<Observation>(observation, "reply to observe");
}

std::string RankedDevice::leave() {
  return group_->call("leave").get<std::string>();
}

void RankedDevice::stop_observing() {
  group_->call("stop_observing");
}

void RankedDevice::begin_round(int round) {
  group_->call("begin_round", {{"round", round}});
}

const std::vector<RecordedRank>& RankedDevice::ranks() const {
  return group_->ranks();
}

void RankedDevice::use_as(size_t rank) {
  group_->use_as(rank);
}

}  // namespace kjoule
