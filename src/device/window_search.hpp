#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/json/json_fields.hpp"
#include "device/injection_options.hpp"
#include "recording/phase_pattern.hpp"

namespace kjoule {

/// Where a window lies that is no iteration. Launches are numbered from the program's first one, 0; a graph
/// counts as its nodes.
struct WindowPlace {
  /// Launches of a complete lead or tail: more than a GPU prefetches, and more than a stamp affects.
  static constexpr uint64_t kEdge = 64;
  /// How much longer than its fewest launches a lead becomes, at most, while the host does not wait.
  static constexpr uint64_t kLongestLead = 5;

  uint64_t lead_first = 0;  ///< number of the launch with which the lead begins at the earliest
  uint64_t skipped = 0;     ///< launches that pass first, from the moment when the place is searched for
  /// The launches directly before the lead; empty if any launch may be.
  std::vector<ExpectedLaunch> after{};
  uint64_t lead = kEdge;   ///< fewest launches of the lead
  uint64_t least = kEdge;  ///< fewest measured launches
  uint64_t most = 4000;    ///< most measured launches
  uint64_t tail = kEdge;   ///< launches of the tail, if the program makes them
  /// Whether the measured launches begin and end where the host waits for the device, if it does so in time.
  bool at_waits = true;

  /// Returns the place of these launches, which are given by the user. The first launch of the program cannot
  /// be measured, because the time of a launch begins when the launch before it ends.
  static WindowPlace around(const LaunchSpan& span);
  /// Returns the place of these launches without lead and tail, for a program that is not replayed.
  static WindowPlace exactly(const LaunchSpan& span);
  /// Returns whether the measured launches may begin after so many launches of the lead. `waited` says
  /// whether the host has waited for the device since the last launch.
  bool may_begin(uint64_t lead_launches, bool waited) const;
  /// Returns whether the measured launches may end after so many.
  bool may_end(uint64_t measured, bool waited) const;
  bool operator==(const WindowPlace&) const = default;
};
template <class Fields>
void describe(Fields& fields, WindowPlace& place) {
  fields("lead_first", place.lead_first);
  fields("skipped", place.skipped);
  fields("after", place.after);
  fields("lead", place.lead);
  fields("least", place.least);
  fields("most", place.most);
  fields("tail", place.tail);
  fields("at_waits", place.at_waits);
}

/// What is recorded next of a program: a window at a place, or an iteration of one of some loops. If neither
/// is given, it is an iteration of the first loop that lasts (InjectionOptions::loop_s) since the program's
/// start.
struct WindowSearch {
  std::vector<PhasePattern> loops{};  ///< whichever comes first
  std::optional<WindowPlace> place{};
  double patience_s = 5;  ///< after which the search ends without a window
};
template <class Fields>
void describe(Fields& fields, WindowSearch& search) {
  fields("loops", search.loops);
  fields("place", search.place);
  fields("patience_s", search.patience_s);
}

/// What a further start of a program is to record: phases of its first start, in the order in which it comes
/// to them, or windows at places, in this order.
struct ExpectedWindows {
  std::vector<PhasePattern> phases{};
  std::vector<WindowPlace> places{};  ///< if there is no phase
  bool operator==(const ExpectedWindows&) const = default;
};
template <class Fields>
void describe(Fields& fields, ExpectedWindows& windows) {
  fields("phases", windows.phases);
  fields("places", windows.places);
}

/// Writes and reads what the injected library is to record. Reading throws Error for another file.
void write_windows(const std::filesystem::path& file, const ExpectedWindows& windows);
ExpectedWindows read_windows(const std::filesystem::path& file);

}  // namespace kjoule
