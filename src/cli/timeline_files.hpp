#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "device/device.hpp"
#include "report/timeline.hpp"

namespace kjoule {

/// The option --timeline: files to which an iteration is written as the device ran it.
class TimelineFiles {
 public:
  void declare(CLI::App& app);
  bool asked() const { return !paths_.empty(); }
  /// Throws Error for a file that cannot be written. Call it before measuring.
  void refuse_wrong_names() const;
  /// Throws Error when a file is one of the input files.
  void refuse_inputs(const std::vector<std::string>& inputs) const;
  /// Throws Error when a file was requested but the device logs no launches.
  void refuse_without_timeline(const DeviceInfo& device) const;
  void write(const Timeline& timeline) const;

 private:
  std::vector<std::string> paths_;
};

}  // namespace kjoule
