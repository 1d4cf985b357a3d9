#include "run/tried_calls.hpp"

#include <fmt/format.h>

namespace kjoule {

TriedCall try_call(RestartedRunner& runner, const ReplayCall& call) {
  Runner& ready = runner.ready();
  try {
    return {ready.try_call(call), ""};
  } catch (const Error& error) {
    return {{}, error.line()};
  }
}

std::map<size_t, std::string> tried_calls(RestartedRunner runner, const std::vector<ReplayCall>& calls,
                                          Progress& progress) {
  std::map<size_t, std::string> refused;
  progress.stage(
      fmt::format("trying whether {} call{} can be replayed", calls.size(), calls.size() == 1 ? "" : "s"));
  for (size_t i = 0; i < calls.size(); ++i) {
    if (const TriedCall tried = try_call(runner, calls[i]); !tried.seconds) refused[i] = tried.error;
    progress.update(static_cast<double>(i + 1) / static_cast<double>(calls.size()));
  }
  progress.finish();
  return refused;
}

}  // namespace kjoule
