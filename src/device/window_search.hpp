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
  /// Number of launches in a complete lead or tail. It exceeds the number of launches that a GPU prefetches,
  /// and the number that a stamp affects.
  static constexpr uint64_t kEdge = 64;
  /// If the host does not wait for the device, the lead ends after this multiple of `lead` launches.
  static constexpr uint64_t kLongestLead = 5;

  uint64_t lead_first = 0;  ///< the lead begins at the launch with this number, or later
  /// Number of launches between the begin of the search and the lead, which are not recorded.
  uint64_t skipped = 0;
  /// The launches that must directly precede the lead; empty if any launches may precede it.
  std::vector<ExpectedLaunch> after{};
  uint64_t lead = kEdge;   ///< least number of launches in the lead
  uint64_t least = kEdge;  ///< least number of measured launches
  uint64_t most = 4000;    ///< largest number of measured launches
  uint64_t tail = kEdge;   ///< number of launches in the tail; fewer if the program ends
  /// Whether the measured launches should begin and end where the host waits for the device. If the host does
  /// not wait, they begin at the latest after kLongestLead x `lead` launches, and end after `most` launches.
  bool at_waits = true;

  /// Returns the place of the launches that the user chose, with lead and tail. The program's first launch
  /// cannot be measured, because the time of a launch begins when the previous launch ends.
  static WindowPlace around(const LaunchSpan& span);
  /// Like around(), but without lead and tail, for a program whose launches are not replayed.
  static WindowPlace exactly(const LaunchSpan& span);
  /// Returns whether the measured launches may begin now, after `lead_launches` launches of the lead.
  /// `waited` states whether the host has waited for the device since the last launch.
  bool may_begin(uint64_t lead_launches, bool waited) const;
  /// Returns whether the measured launches may end now, after `measured` launches. `waited` is as for
  /// may_begin().
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
  /// If several are given, the iteration that the program reaches first is recorded.
  std::vector<PhasePattern> loops{};
  std::optional<WindowPlace> place{};
  double patience_s = 5;  ///< time in s after which the search ends without a window
};
template <class Fields>
void describe(Fields& fields, WindowSearch& search) {
  fields("loops", search.loops);
  fields("place", search.place);
  fields("patience_s", search.patience_s);
}

/// The windows to record in another start of a program: phases that were found in the first start, or windows
/// at places.
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
