#include "cli/options/command_group.hpp"

namespace kjoule {

std::unique_ptr<Command> power_command() {
  std::vector<std::unique_ptr<Command>> parts;
  parts.push_back(power_devices_command());
  parts.push_back(power_log_command());
  parts.push_back(power_idle_command());
  parts.push_back(power_calibrate_command());
  parts.push_back(power_probe_command());
  return std::make_unique<CommandGroup>(
      "power", "lists, calibrates and probes power meters, logs power, measures idle power",
      "kjoule power devices", std::move(parts));
}

}  // namespace kjoule
