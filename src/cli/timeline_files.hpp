#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "device/device.hpp"
#include "report/timeline.hpp"

namespace kjoule {

/// Where --timeline writes an iteration as the device ran it.
class TimelineFiles {
 public:
  void declare(CLI::App& app);
  bool asked() const { return !paths_.empty(); }
  /// Before anything is measured for a file that cannot be written. Throws Error.
  void refuse_wrong_names() const;
  /// Throws Error when one of them is a file that is read.
  void refuse_inputs(const std::vector<std::string>& inputs) const;
  /// Throws Error when a file was asked for of a device that logs no launches.
  void refuse_without_timeline(const DeviceInfo& device) const;
  void write(const Timeline& timeline) const;

 private:
  std::vector<std::string> paths_;
};

}  // namespace kjoule
