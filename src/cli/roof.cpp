#include "cli/roof.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/program_lines.hpp"
#include "cli/torch_runner.hpp"

namespace kjoule {

Roof measured_roof(const SubjectOptions& options, const std::string& type) {
  const RunnerPlaces places = RunnerPlaces::of_this_machine();
  prepare_runner(places);
  ProgramLines program(roof_runner(type, options, places));
  std::string other;
  for (;;) {
    for (const std::string& line : program.read()) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_object() && json.contains("flop_per_s"))
        return {json.at("flop_per_s").get<double>(), json.at("byte_per_s").get<double>()};
      if (!line.empty()) other = line;
    }
    if (program.how_it_ended()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw Error(fmt::format("the device's roofs were not measured: {} ({})", other, *program.how_it_ended()));
}

}  // namespace kjoule
