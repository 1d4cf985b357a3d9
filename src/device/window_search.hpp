#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/json/json_fields.hpp"
#include "device/injection_options.hpp"
#include "recording/phase_pattern.hpp"

namespace kjoule {

/// The place of a window that is not an iteration. Launches are numbered from the program's first launch, 0;
/// each node of a graph counts.
struct WindowPlace {
  /// Number of launches in a complete lead or tail: more than a GPU prefetches, and more than a stamp
  /// affects.
  static constexpr uint64_t kEdge = 64;
  /// If the host does not wait, the lead ends at this multiple of `lead`.
  static constexpr uint64_t kLongestLead = 5;

  uint64_t lead_first = 0;  ///< least number of the launch with which the lead begins
  uint64_t skipped = 0;     ///< number of launches that pass between the begin of the search and the lead
  /// The launches directly before the lead; empty if any launch may be.
  std::vector<ExpectedLaunch> after{};
  uint64_t lead = kEdge;   ///< least number of launches in the lead
  uint64_t least = kEdge;  ///< least number of measured launches
  uint64_t most = 4000;    ///< largest number of measured launches
  uint64_t tail = kEdge;   ///< number of launches in the tail; fewer if the program ends
  /// Whether the measured launches should begin and end where the host waits for the device. If it does not
  /// wait in time, kLongestLead and `most` apply.
  bool at_waits = true;

  /// Returns the place of the launches that the user chose. The first launch of the program cannot
  /// be measured, because the time of a launch begins when the launch before it ends.
  static WindowPlace around(const LaunchSpan& span);
  /// Returns the place of these launches without lead and tail, for a program whose launches are not
  /// replayed.
  static WindowPlace exactly(const LaunchSpan& span);
  /// Returns whether the measured launches may begin after so many launches of the lead. `waited` is true if
  /// the host has waited for the device since the last launch.
  bool may_begin(uint64_t lead_launches, bool waited) const;
  /// Returns whether the window may end after so many measured launches.
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

/// The window of a program to record next: a window at `place`, or an iteration of one of `loops`. If neither
/// is given, it is an iteration of the first loop that lasts long enough (InjectionOptions::loop_s).
struct WindowSearch {
  std::vector<PhasePattern> loops{};  ///< the one that the program reaches first is recorded
  std::optional<WindowPlace> place{};
  double patience_s = 5;  ///< time in s after which the search ends without a window
};
template <class Fields>
void describe(Fields& fields, WindowSearch& search) {
  fields("loops", search.loops);
  fields("place", search.place);
  fields("patience_s", search.patience_s);
}

/// The windows to record in a further start of a program: phases that the first start showed, or windows at
/// places.
struct ExpectedWindows {
  std::vector<PhasePattern> phases{};  ///< recorded in the order in which the program reaches them
  std::vector<WindowPlace> places{};   ///< recorded in this order; used if there is no phase
  bool operator==(const ExpectedWindows&) const = default;
};
template <class Fields>
void describe(Fields& fields, ExpectedWindows& windows) {
  fields("phases", windows.phases);
  fields("places", windows.places);
}

/// Write and read the file with the windows that the injected library records. Reading throws Error if the
/// file was not written by write_windows().
void write_windows(const std::filesystem::path& file, const ExpectedWindows& windows);
ExpectedWindows read_windows(const std::filesystem::path& file);

}  // namespace kjoule
