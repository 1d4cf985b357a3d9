#pragma once
#include <string>
#include <vector>

#include "importers/imported_table.hpp"
#include "recording/activity.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// One operation of an iteration as its timeline shows it.
struct TimelineBar {
  Activity activity;
  size_t kernel = 0;  ///< place in the kernel table: bars of one kernel have one colour
  Tier tier = Tier::unknown;
};

/// The operations of one iteration as the device ran them.
struct Timeline {
  std::string title;
  std::vector<TimelineBar> bars;  ///< in any order
};

/// Bars of one launch's kernel have its place in the kernel table of the recording; operations that were not
/// recorded get numbers behind it, one for each name.
Timeline make_timeline(const std::string& title, const Recording& recording,
                       const std::vector<Activity>& activities);

/// What a trace says of one iteration. Throws Error when it says nothing.
Timeline timeline_of(const ImportedTable& table);

/// Chrome-trace JSON, which Perfetto and chrome://tracing open: times in microseconds from the first begin. A
/// row for each stream; operations that overlap on one stream go to further rows of it. Throws Error when an
/// activity has no times.
std::string timeline_chrome(const Timeline& timeline);

/// A picture for an A4 page: a lane for each stream, ten kernels of largest time in colour with a legend, the
/// rest grey. Long iterations are broken into rows like text. Where bars would be too thin to be seen they
/// are merged into one whose coloured heights are the shares of its time. Throws Error when there is nothing
/// to draw or an activity has no times.
std::string timeline_svg(const Timeline& timeline);

enum class TimelineFormat { chrome, svg };
/// Which of the two a file's name asks for; throws Error when it ends in neither .json nor .svg.
TimelineFormat timeline_format(const std::string& path);
/// The text of that file.
std::string timeline_for(const std::string& path, const Timeline& timeline);

}  // namespace kjoule
