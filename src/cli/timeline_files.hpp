#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "play/device.hpp"
#include "trace/activity.hpp"
#include "trace/recording.hpp"

namespace kjoule {

/// Where --timeline writes the iteration as the program ran it.
class TimelineFiles {
 public:
  void declare(CLI::App& app);
  bool asked() const { return !paths_.empty(); }
  /// Before anything is measured for a file that cannot be written. Throws Error.
  void refuse_wrong_names() const;
  /// Throws Error when a file was asked for of a device that logs no launches.
  void refuse_without_timeline(const DeviceInfo& device) const;
  void write(const std::string& title, const Recording& recording,
             const std::vector<Activity>& iteration) const;

 private:
  std::vector<std::string> paths_;
};

}  // namespace kjoule
