#include "device/rank_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/clock.hpp"
#include "device/protocol.hpp"
#include "recording/collective_kernel.hpp"

namespace kjoule {

namespace {

constexpr int kLook_ms = 20;
/// Longest time without progress of ranks that replay. They need less to hash or copy their memory, or to run
/// an iteration.
constexpr int64_t kStuck_ns = 20'000'000'000;
/// kSameError_ns: time within which all ranks report an error that all of them have. kNoticed_ns: time within
/// which a rank that waits for another rank notices its failure.
constexpr int64_t kSameError_ns = 200'000'000, kNoticed_ns = 2'000'000'000;

/// Returns whether two ranks have launched the same kernels, so that stamps can be at the same places on
/// both.
bool have_equal_launches(const Recording& one, const Recording& other) {
  return one.edges == other.edges &&
         std::ranges::equal(one.launches, other.launches, {}, &Launch::name, &Launch::name);
}

/// An iteration by its length and the indices of its collectives.
struct CollectivePlaces {
  uint32_t length;
  std::vector<uint32_t> collectives;

  explicit CollectivePlaces(const Recording& recording)
      : length(static_cast<uint32_t>(recording.launches.size())) {
    for (uint32_t place = 0; place < length; ++place)
      if (is_nccl_kernel(recording.launches[place].name)) collectives.push_back(place);
  }
};

/// Returns the place in a rank's iterations at which it has a stamp while `used` has one after `place`: the
/// launch that follows the same collective at the same distance or, if fewer launches follow this collective,
/// the last one before the next collective. Both ranks then spend the same time on stamps between two
/// collectives, so that neither waits for the other's stamps.
uint32_t stamped_place(uint32_t place, const CollectivePlaces& used, const CollectivePlaces& own) {
  const std::vector<uint32_t>&theirs = used.collectives, &ours = own.collectives;
  const uint32_t iteration = place / used.length, within = place % used.length;
  const auto passed = static_cast<size_t>(std::ranges::upper_bound(theirs, within) - theirs.begin());
  const uint32_t begin = passed == 0 ? 0 : ours[passed - 1];
  const uint32_t distance = within - (passed == 0 ? 0 : theirs[passed - 1]);
  const uint32_t end = passed < ours.size() ? ours[passed] : own.length;  // one after the last place
  return iteration * own.length + std::min(begin + distance, std::max(end, begin + 1) - 1);
}

/// Returns the work of a rank with the recording `own` while another one with the recording `used` does
/// `work`: the same number of its own iterations, with as many stamps between two collectives. If the ranks
/// have different numbers of collectives, it has a stamp only at the begin and at the end. Throws DeviceError
/// if the launches of `work` do not have the order of the iteration.
StampedWork accompany(const StampedWork& work, const Recording& used, const Recording& recording) {
  const size_t length = used.launches.size(), own_length = recording.launches.size();
  for (size_t place = 0; place < work.launches.size(); ++place)
    if (work.launches[place] != place % length)
      throw DeviceError("the ranks launch different kernels, so that single ones cannot be replayed in step",
                        "");
  const size_t iterations = (work.launches.size() + length - 1) / length;
  StampedWork own;
  for (size_t place = 0; place < iterations * own_length; ++place)
    own.launches.push_back(static_cast<LaunchIndex>(place % own_length));
  const CollectivePlaces theirs(used), ours(recording);
  if (theirs.collectives.size() != ours.collectives.size()) {
    own.stamped_after = {0, static_cast<uint32_t>(own.launches.size() - 1)};
    return own;
  }
  for (const uint32_t place : work.stamped_after)
    own.stamped_after.push_back(stamped_place(place, theirs, ours));
  return own;
}

/// Returns whether an error only reports that another rank has failed.
bool is_of_another(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return std::string_view(error.what()) == kAnotherRankFailed;
  }
}

/// Returns whether a rank has ended by itself.
bool is_end(const std::exception_ptr& failure) {
  if (failure == nullptr) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const EndedError&) {
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Throws a rank's error with the rank's name before its cause.
[[noreturn]] void throw_of_rank(const std::exception_ptr& failure, const std::string& rank, bool is_lost) {
  const auto named = [&](const Error& error) {
    const std::string what = error.what();
    return what.starts_with(rank) ? what : rank + ": " + what;
  };
  try {
    std::rethrow_exception(failure);
  } catch (const DeviceError& error) {
    throw DeviceError(named(error), error.remedy(), error.launch, is_lost || error.lost);
  } catch (const Error& error) {
    if (!is_lost) throw Error(named(error), error.remedy());
    throw DeviceError(named(error), error.remedy(), {}, true);
  }
}

}  // namespace

RankGroup::RankGroup(std::shared_ptr<RankedProgram> program, LinkedRank first)
    : program_(std::move(program)) {
  members_.emplace_back(std::move(first));
}

RankGroup::~RankGroup() {
  program_->part();
}

nlohmann::json RankGroup::record(const char* operation, nlohmann::json body) {
  members_.erase(members_.begin() + 1, members_.end());
  ranks_.clear();
  std::vector<Answer> recordings =
      answers(operation, {members_[0].connection->send(operation, std::move(body))}, true);
  if (board() == nullptr) return std::move(recordings[0].result);
  program_->link_no_more();
  if (board()->decision() == RankBoard::Decision::cut) {
    keep_recorded(recordings);
  } else {
    program_->check_alone();
    release_others();
  }
  return std::move(recordings[0].result);
}

void RankGroup::keep_recorded(const std::vector<Answer>& recordings) {
  std::vector<std::pair<RecordedRank, Member>> recorded;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (i > 0 && !board()->is_member(members_[i].info.rank.board.value())) continue;
    RecordedRank rank{members_[i].info, read_fields<Recording>(recordings[i].result, "reply to record"),
                      members_[i].process->pid()};
    recorded.emplace_back(std::move(rank), std::move(members_[i]));
  }
  std::stable_sort(recorded.begin() + 1, recorded.end(), [](const auto& one, const auto& other) {
    const RankFacts &first = one.first.info.rank, &second = other.first.info.rank;
    return std::tie(first.rank, first.gpu) < std::tie(second.rank, second.gpu);
  });
  // Processes with one GPU each are named by their ranks or process ids.
  const bool is_one_process = recorded.size() > 1 && recorded[0].first.process == recorded[1].first.process;
  for (auto& [rank, member] : recorded) {
    if (is_one_process)
      rank.info.rank.rank.reset();
    else
      rank.info.rank.gpu.reset();
    member.info.rank = rank.info.rank;
  }
  members_.clear();
  for (auto& [rank, member] : recorded) {
    members_.push_back(std::move(member));
    if (recorded.size() > 1) ranks_.push_back(std::move(rank));
  }
}

void RankGroup::release_others() {
  for (size_t i = 1; i < members_.size(); ++i) {
    try {
      send_message(members_[i].process->socket(),
                   refusal_message(Error("the measured process has no collectives")));
    } catch (const Error&) {  // the process has ended
    }
  }
  members_.erase(members_.begin() + 1, members_.end());
}

nlohmann::json RankGroup::call(const char* operation, const nlohmann::json& body) {
  return std::move(call_all(operation, body)[used_]);
}

std::vector<nlohmann::json> RankGroup::call_all(const char* operation, const nlohmann::json& body) {
  Requests requests;
  for (const Member& member : members_) requests.push_back(member.connection->send(operation, body));
  std::vector<nlohmann::json> replies;
  for (Answer& answer : answers(operation, requests)) replies.push_back(std::move(answer.result));
  return replies;
}

std::vector<uint64_t> RankGroup::open(const TrackSpec& spec) {
  std::vector<nlohmann::json> specs;
  for (size_t i = 0; i < members_.size(); ++i) specs.push_back(write_fields(spec_for(i, spec)));
  Requests requests;
  for (size_t i = 0; i < members_.size(); ++i)
    requests.push_back(members_[i].connection->send("open", {{"spec", std::move(specs[i])}}));
  std::vector<uint64_t> tracks;
  for (const Answer& answer : answers("open", requests))
    tracks.push_back(answer.result.at("track").get<uint64_t>());
  return tracks;
}

RankGroup::Requests RankGroup::send(const char* operation, const std::vector<uint64_t>& tracks,
                                    nlohmann::json body) {
  Requests requests;
  for (size_t i = 0; i < members_.size(); ++i) {
    body["track"] = tracks[i];
    requests.push_back(members_[i].connection->send(operation, body));
  }
  return requests;
}

nlohmann::json RankGroup::reply(const char* operation, const Requests& requests) {
  return std::move(answers(operation, requests)[used_].result);
}

std::vector<RankGroup::Answer> RankGroup::answers(const char* operation, Requests requests,
                                                  bool others_may_come) {
  const int64_t begin_ns = SteadyClock().now_ns();
  Progress progress{steps(), begin_ns};
  std::vector<Answer> all;
  for (;;) {
    if (others_may_come) let_others_follow(requests);
    all.resize(members_.size());
    const std::vector<int> waited_for = take_answers(operation, requests, begin_ns, all);
    if (std::ranges::any_of(all, [](const Answer& answer) { return answer.error != nullptr; }))
      throw_failure(operation, requests, begin_ns, all);
    const bool is_alone = others_may_come && all[0].is_there && board() != nullptr &&
                          board()->decision() != RankBoard::Decision::cut;
    if (waited_for.empty() || is_alone) return all;
    throw_if_stuck(progress);
    program_->await(waited_for, kLook_ms);
  }
}

std::vector<int> RankGroup::take_answers(const char* operation, const Requests& requests, int64_t begin_ns,
                                         std::vector<Answer>& answers) {
  std::vector<int> waited_for;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!answers[i].is_there) answers[i] = answer_of(members_[i], operation, requests[i], begin_ns);
    if (answers[i].is_there) continue;
    waited_for.push_back(members_[i].process->socket());
    waited_for.push_back(members_[i].process->end_event());
  }
  return waited_for;
}

RankGroup::Answer RankGroup::answer_of(Member& member, const char* operation, uint64_t request,
                                       int64_t begin_ns) const {
  try {
    while (!member.connection->has_reply(request)) {
      const std::chrono::nanoseconds waited(SteadyClock().now_ns() - begin_ns);
      if (!member.process->has_message(operation, waited)) return {};
      member.connection->receive_reply(request);
    }
    return {member.connection->reply(request), nullptr, true};
  } catch (const Error&) {
    return {{}, std::current_exception(), true};
  }
}

void RankGroup::throw_failure(const char* operation, const Requests& requests, int64_t begin_ns,
                              std::vector<Answer>& answers) {
  const auto cause = [&] {
    return std::ranges::find_if(
        answers, [](const Answer& one) { return one.error != nullptr && !is_of_another(one.error); });
  };
  if (members_.size() == 1) std::rethrow_exception(answers[0].error);
  const SteadyClock clock;
  const auto wait_for_others = [&](int64_t most_ns, const auto& is_over) {
    const int64_t since_ns = clock.now_ns();
    while (clock.now_ns() - since_ns < most_ns && !is_over()) {
      program_->await(take_answers(operation, requests, begin_ns, answers), kLook_ms);
    }
  };
  const auto have_all_failed = [&] {
    return std::ranges::all_of(answers, [](const Answer& one) { return one.error != nullptr; });
  };
  const bool may_end = std::ranges::any_of(answers, is_end, &Answer::error);
  wait_for_others(may_end ? kNoticed_ns : kSameError_ns, have_all_failed);
  if (is_end(answers[0].error)) std::rethrow_exception(answers[0].error);  // the program has ended
  const bool is_lost = !have_all_failed();
  if (is_lost) board()->give_up();
  wait_for_others(kNoticed_ns, [&] { return cause() != answers.end(); });
  auto found = cause();
  if (found == answers.end())
    found = std::ranges::find_if(answers, [](const Answer& one) { return one.error != nullptr; });
  const Member& member = members_[static_cast<size_t>(found - answers.begin())];
  throw_of_rank(found->error, rank_name(member.info.rank, member.process->pid()), is_lost);
}

void RankGroup::throw_if_stuck(Progress& progress) const {
  if (members_.size() == 1 || board()->decision() != RankBoard::Decision::cut) return;
  const int64_t now_ns = SteadyClock().now_ns();
  if (steps() != progress.steps) progress = {steps(), now_ns};
  if (now_ns - progress.since_ns < kStuck_ns) return;
  board()->give_up();
  if (ranks_.empty())
    throw StuckError(
        fmt::format("the ranks of the program made no progress for {} s: a rank waits for "
                    "another one, and an iteration of the paused ranks did not release it",
                    kStuck_ns / 1'000'000'000),
        "choose one process with --rank R and a part of it without collectives with --range NAME");
  throw StuckError(
      fmt::format("the ranks of the program made no progress for {} s: replayed in the order in which each "
                  "rank launched them, their collectives wait for each other, or for a process of the host",
                  kStuck_ns / 1'000'000'000),
      "choose one process with --rank R and a part of it without collectives with --range NAME");
}

void RankGroup::let_others_follow(Requests& requests) {
  if (board() == nullptr || members_[0].info.rank.ranks_elsewhere() > 0) return;
  for (const LinkedRank& rank : program_->other_ranks()) {
    const auto is_it = [&](const Member& member) { return member.link == rank.link.get(); };
    if (std::ranges::any_of(members_, is_it)) continue;
    members_.emplace_back(rank);
    requests.push_back(members_.back().connection->send("follow"));
  }
}

TrackSpec RankGroup::spec_for(size_t member, const TrackSpec& spec) const {
  const auto* stamped = std::get_if<StampedWork>(&spec);
  if (member == used_ || stamped == nullptr) return spec;
  const Recording& used = ranks_[used_].recording;
  const Recording& own = ranks_[member].recording;
  if (have_equal_launches(used, own)) return spec;
  return accompany(*stamped, used, own);
}

}  // namespace kjoule
