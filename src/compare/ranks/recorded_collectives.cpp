#include "compare/ranks/recorded_collectives.hpp"

#include <algorithm>
#include <array>

#include "recording/collective_kernel.hpp"
#include "recording/collective_message.hpp"

namespace kjoule {

namespace {

constexpr std::array<SynchronisingOperation, 4> kSynchronising{
    {{"AllReduce", false, 2}, {"AllGather", true, 1}, {"ReduceScatter", true, 1}, {"AlltoAll", true, 1}}};

}  // namespace

const SynchronisingOperation* synchronising(std::string_view name) {
  const auto found = std::ranges::find_if(kSynchronising, [&](const SynchronisingOperation& operation) {
    return name.find(operation.name) != std::string_view::npos;
  });
  return found == kSynchronising.end() ? nullptr : &*found;
}

RecordedCollective collective_at(const Recording& recording, LaunchIndex place) {
  const Launch& launch = recording.launches.at(place);
  RecordedCollective collective{launch.name, 0, 0, place};
  const auto messages = launch.detail.find("messages");
  if (messages == launch.detail.end()) return collective;
  for (const nlohmann::json& json : *messages) {
    const auto message = read_fields<CollectiveMessage>(json, "message");
    collective.operation = message.operation;
    collective.communicator = message.communicator;
    collective.bytes += message.bytes;
  }
  return collective;
}

std::vector<RecordedCollective> recorded_collectives(const Recording& recording) {
  std::vector<RecordedCollective> collectives;
  for (LaunchIndex place = 0; place < recording.launches.size(); ++place)
    if (is_nccl_kernel(recording.launches[place].name))
      collectives.push_back(collective_at(recording, place));
  return collectives;
}

}  // namespace kjoule
