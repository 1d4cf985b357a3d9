#include "device/models_in_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <utility>

#include "device/protocol.hpp"

namespace kjoule {

namespace {

constexpr const char* kExportTogether =
    "check that the models are the ranks of one program, exported together with the same sizes";

/// A track on each rank, which are replayed at the same time.
class TrackInStep final : public Track {
 public:
  TrackInStep(ModelsInStep& models, const TrackSpec& spec) : models_(models) {
    for (const nlohmann::json& reply : models.replies(models.send("open", {{{"spec", write_fields(spec)}}})))
      tracks_.push_back(reply.at("track").get<uint64_t>());
  }
  ~TrackInStep() override {
    try {
      models_.replies(request("close"));
    } catch (const Error&) {  // a lost process has no tracks to close
    }
  }
  void enqueue(int repeats) override { under_way_.push_back(request("enqueue", {{"repeats", repeats}})); }
  void pause(double seconds) override { models_.replies(request("pause", {{"seconds", seconds}})); }
  TrackTiming wait() override {
    const ModelsInStep::Requests enqueued = std::move(under_way_.front());
    under_way_.pop_front();
    models_.replies(enqueued);
    return read_fields<TrackTiming>(models_.reply(request("wait")), "reply to wait");
  }

 private:
  ModelsInStep::Requests request(const char* operation,
                                 const nlohmann::json& body = nlohmann::json::object()) {
    std::vector<nlohmann::json> bodies(tracks_.size(), body);
    for (size_t rank = 0; rank < tracks_.size(); ++rank) bodies[rank]["track"] = tracks_[rank];
    return models_.send(operation, bodies);
  }

  ModelsInStep& models_;
  std::vector<uint64_t> tracks_;  ///< number of the track on each rank
  std::deque<ModelsInStep::Requests> under_way_;
};

/// Throws a rank's error with the rank before its cause.
[[noreturn]] void throw_of_model(const std::exception_ptr& failure, size_t rank) {
  const auto named = [&](const Error& error) { return fmt::format("rank {}: {}", rank, error.what()); };
  try {
    std::rethrow_exception(failure);
  } catch (const DeviceError& error) {
    throw DeviceError(named(error), error.lost ? kExportTogether : error.remedy(), error.launch, error.lost);
  } catch (const Error& error) {
    throw Error(named(error), error.remedy());
  }
}

bool is_lost(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const DeviceError& error) {
    return error.lost;
  } catch (const Error&) {
    return false;
  }
}

/// Throws Error if the ranks call different operators: then single ones cannot be replayed in step.
void need_equal_operators(const std::vector<RecordedRank>& ranks) {
  for (size_t rank = 1; rank < ranks.size(); ++rank)
    if (!std::ranges::equal(ranks[0].recording.launches, ranks[rank].recording.launches, {}, &Launch::name,
                            &Launch::name))
      throw Error(fmt::format("the models of rank 0 and rank {} call different operators, so that single "
                              "ones cannot be replayed in step",
                              rank),
                  "measure models whose ranks do the same work, such as those of tensor parallelism");
}

}  // namespace

ModelsInStep::ModelsInStep(const std::vector<std::string>& command, const Environment& more,
                           const std::vector<RunnerWork>& works) {
  std::vector<nlohmann::json> greetings;
  for (const RunnerWork& work : works) {
    auto link = std::make_shared<ChildLink>(command, more);
    auto connection = std::make_unique<Connection>(link);
    members_.push_back({std::move(link), std::move(connection), {}});
    greetings.push_back({{"version", kProtocolVersion}, {"work", write_fields(work)}});
  }
  const std::vector<nlohmann::json> infos = replies(send("hello", greetings));
  for (size_t rank = 0; rank < members_.size(); ++rank) {
    RecordedRank& own = members_[rank].rank;
    own.info = read_fields<DeviceInfo>(infos[rank], "the reply of kjoule-torch");
    own.info.rank.rank = static_cast<int>(rank);
    own.info.rank.ranks = static_cast<int>(members_.size());
    own.process = members_[rank].link->child().pid();
  }
}

std::unique_ptr<Track> ModelsInStep::open(const TrackSpec& spec) {
  return std::make_unique<TrackInStep>(*this, spec);
}

std::vector<std::vector<CollectiveTimes>> ModelsInStep::time_collectives_of_all(int) {
  throw Error("on the CPU, the time of a collective is not divided into waiting and moving",
              "compare the times of the ranks");
}

ModelsInStep::Requests ModelsInStep::send(const char* operation, const std::vector<nlohmann::json>& bodies) {
  Requests requests;
  for (size_t rank = 0; rank < members_.size(); ++rank)
    requests.push_back(members_[rank].connection->send(operation, bodies[bodies.size() == 1 ? 0 : rank]));
  return requests;
}

std::vector<nlohmann::json> ModelsInStep::replies(const Requests& requests) {
  std::vector<nlohmann::json> all(members_.size());
  std::vector<std::exception_ptr> failures(members_.size());
  for (size_t rank = 0; rank < members_.size(); ++rank) {
    try {
      all[rank] = members_[rank].connection->reply(requests[rank]);
    } catch (const Error&) {
      failures[rank] = std::current_exception();
    }
  }
  // A process that ended is the cause of errors of ranks that waited for it.
  for (const bool lost : {true, false})
    for (size_t rank = 0; rank < members_.size(); ++rank)
      if (failures[rank] && (!lost || is_lost(failures[rank]))) throw_of_model(failures[rank], rank);
  return all;
}

nlohmann::json ModelsInStep::call(const char* operation, const nlohmann::json& body) {
  return reply(send(operation, {body}));
}

nlohmann::json ModelsInStep::call_to_record(const char* operation, const nlohmann::json& body) {
  std::vector<nlohmann::json> recordings = replies(send(operation, {body}));
  std::vector<RecordedRank> recorded;
  for (size_t rank = 0; rank < members_.size(); ++rank) {
    recorded.push_back(members_[rank].rank);
    recorded.back().recording = read_fields<Recording>(recordings[rank], "reply to record");
  }
  need_equal_operators(recorded);
  recorded_ = std::move(recorded);
  return std::move(recordings[used_]);
}

}  // namespace kjoule
