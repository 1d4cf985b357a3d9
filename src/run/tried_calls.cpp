#include "run/tried_calls.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/program_lines.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

namespace {

/// What one process said.
struct Said {
  std::map<size_t, std::string> refused;
  size_t next = 0;             ///< behind the last call of which it told what became
  std::optional<size_t> busy;  ///< the call during which it ended
};

void take(const nlohmann::json& json, Said& said) {
  if (json.contains("tries")) said.busy = json.at("tries").get<size_t>();
  if (!json.contains("call")) return;
  said.busy.reset();
  said.next = json.at("call").get<size_t>() + 1;
  if (json.contains("why")) said.refused[said.next - 1] = json.at("why").get<std::string>();
}

}  // namespace

std::map<size_t, std::string> tried_calls(const std::vector<std::string>& runner, size_t calls,
                                          Progress& progress) {
  std::map<size_t, std::string> refused;
  progress.stage(fmt::format("trying {} calls", calls));
  for (size_t next = 0; next < calls;) {
    std::vector<std::string> command = runner;
    command.push_back(std::to_string(next));
    Said said;
    said.next = next;
    const ObjectsEnd end = run_for_objects(
        command, [&](const nlohmann::json& json) { take(json, said); },
        [&] { progress.update(static_cast<double>(said.next) / static_cast<double>(calls)); });
    refused.merge(said.refused);
    if (said.busy) {
      refused[*said.busy] = fmt::format("its process ended with it ({})", end.how);
      said.next = *said.busy + 1;
    } else if (said.next == next) {
      throw runner_ended(end.how, end.other);
    }
    next = said.next;
  }
  progress.finish();
  return refused;
}

}  // namespace kjoule
