#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "importers/imported_table.hpp"
#include "recording/activity.hpp"
#include "recording/recording.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

/// One operation of an iteration or a run, as a timeline shows it.
struct TimelineBar {
  Activity activity;
  size_t kernel = 0;  ///< index into the kernel table; bars of one kernel have the same colour
  Tier tier = Tier::unknown;
  uint32_t device = 0;  ///< number of the GPU, as the program numbers its GPUs
};

/// A part of a run: a loop, or a single pass.
struct TimelinePart {
  std::string name;
  int64_t begin_ns = 0, end_ns = 0;  ///< first begin and last end of its operations
  uint32_t kind = 0;                 ///< loops over the same launches have the same kind
};

/// The operations of one iteration, or of a run, as the device ran them.
struct Timeline {
  std::string title;
  std::vector<TimelineBar> bars;  ///< in any order
  /// Parts of a run, in the order of their beginnings; they may overlap. Empty for an iteration.
  std::vector<TimelinePart> parts{};
};

/// Returns the timeline of a recorded iteration. The bars of its launches get the index of their kernel in
/// the recording's kernel table. Operations that were not recorded get indexes after the last kernel, one for
/// each name.
Timeline make_timeline(const std::string& title, const Recording& recording,
                       const std::vector<Activity>& activities);

/// Returns the timeline of a recorded iteration whose launches run one after another, as on a CPU: each bar
/// begins where the bar before it ends. `launch_s` has the time of each launch in s; launches without a time
/// (0) are left out. Throws Error if no launch has a time.
Timeline sequential_timeline(const std::string& title, const Recording& recording,
                             const std::vector<double>& launch_s);

/// Returns the timeline of one iteration of a trace, or of the whole trace if no iteration is known. Throws
/// Error when the trace has no times of launches.
Timeline timeline_of(const ImportedTable& table);

/// Returns one timeline of the ranks of a program, whose lanes are those of the GPU with the rank's position
/// in `ranks`. Bars of one name have the same kernel. The ranks' times must be of one clock.
Timeline join_timelines(const std::string& title, std::vector<Timeline> ranks);

/// Returns Chrome-trace JSON, which Perfetto and chrome://tracing open. Times are in microseconds from the
/// first operation. Each stream has a row; operations that overlap on one stream use additional rows. Parts
/// have rows of their own, below. Throws Error when an activity has no times.
std::string timeline_chrome(const Timeline& timeline);

/// Returns an SVG picture for an A4 page with a lane for each stream. The ten kernels of largest total time
/// have colours and a legend, the others are grey. Long iterations continue in further rows. Neighbouring
/// bars that would be too thin to see are merged into one bar, whose coloured heights are each kernel's share
/// of its time. Parts are not drawn. Throws Error when there is nothing to draw or an activity has no times.
std::string timeline_svg(const Timeline& timeline);

/// Returns whether the beginning of a file, of at least kTimelineBeginning bytes if the file has as many, is
/// that of a timeline as timeline_chrome() and timeline_svg() write it.
bool is_timeline_beginning(std::string_view beginning);
inline constexpr size_t kTimelineBeginning = 256;

/// A file format of timelines.
struct TimelineFormat {
  const char* ending;                     ///< of the names of its files, such as ".svg"
  std::string (*write)(const Timeline&);  ///< returns the content of a file
};
/// Returns the format for the ending of a file name. Throws UsageError if no format has this ending.
const TimelineFormat& timeline_format(const std::string& path);
/// Replaces the names of the bars by their kernels' names in this style, as in tables.
void name_bars(Timeline& timeline, NameStyle style);

}  // namespace kjoule
