#include "cli/command.hpp"

namespace kjoule {

std::vector<std::unique_ptr<Command>> commands() {
  std::vector<std::unique_ptr<Command>> all;
  all.push_back(compare_command());
  all.push_back(full_command());
  all.push_back(isolated_command());
  all.push_back(record_command());
  all.push_back(kernels_command());
  all.push_back(export_command());
  all.push_back(doctor_command());
  return all;
}

}  // namespace kjoule
