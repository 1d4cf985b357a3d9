#include "recording/phase_pattern.hpp"

#include "base/files.hpp"
#include "base/json_fields.hpp"

namespace kjoule {

void LastLaunches::add(const LaunchIdentity& launch) {
  launches_.push_back(launch);
  if (launches_.size() > kMost) launches_.pop_front();
}

bool LastLaunches::ends_with(std::span<const ExpectedLaunch> launches) const {
  if (launches.size() > launches_.size()) return false;
  auto last = launches_.end() - std::ssize(launches);
  for (const ExpectedLaunch& expected : launches)
    if (!expected.matches(*last++)) return false;
  return true;
}

bool may_begin(const PhasePattern& phase, const LaunchIdentity& next, const LastLaunches& last) {
  return !phase.iteration.empty() && phase.iteration.front().matches(next) && last.ends_with(phase.before);
}

void write_phases(const std::filesystem::path& file, const std::vector<PhasePattern>& phases) {
  nlohmann::json all = nlohmann::json::array();
  for (const PhasePattern& phase : phases) all.push_back(write_fields(phase));
  write_atomic(file, all.dump());
}

std::vector<PhasePattern> read_phases(const std::filesystem::path& file) {
  const nlohmann::json all = read_json(file);
  if (!all.is_array())
    throw Error(file.string() + ": this file is damaged: it does not contain a list of phases",
                "repeat the command without --resume");
  std::vector<PhasePattern> phases;
  for (const nlohmann::json& phase : all) phases.push_back(read_fields<PhasePattern>(phase, file.string()));
  return phases;
}

}  // namespace kjoule
