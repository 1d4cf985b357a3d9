#pragma once
#include <variant>
#include <vector>

#include "play/device.hpp"

namespace kjoule::inject {

/// A device whose launches write memory in place is in one of the states 0, 1, ..., n + beyond, where state p
/// is the memory after the iteration's launches 0..p-1 (of n; those from n on are the next iteration's
/// first). For every p it is known what the launch at p overwrites, so that any earlier state can be put
/// back.

/// Puts back state `to` from any state in which only launches at positions [to, from) have been played since.
struct PutBack {
  int from;
  int to;
  bool operator==(const PutBack&) const = default;
};

struct PlayLaunch {
  LaunchIndex launch;
  bool operator==(const PlayLaunch&) const = default;
};

/// The clock of a segment starts or stops.
struct Edge {
  int segment;
  bool starts;
  bool operator==(const Edge&) const = default;
};

using ScheduleStep = std::variant<PutBack, PlayLaunch, Edge>;

/// How many of the next iteration's launches have states of their own.
int states_beyond(int launches);

/// Steps that play `sequence` so that each segment begins in the very state in which the program itself comes
/// to the segment's first launch; nothing is put back, and no launch inserted, between a segment's launches.
/// Begins and ends in state 0.
std::vector<ScheduleStep> schedule(const Sequence& sequence, int launches);

}  // namespace kjoule::inject
