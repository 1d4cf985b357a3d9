#include "run/tried_calls.hpp"

#include <fmt/format.h>

namespace kjoule {

std::map<size_t, std::string> tried_calls(RestartedRunner runner, const std::vector<ReplayCall>& calls,
                                          Progress& progress) {
  std::map<size_t, std::string> refused;
  progress.stage(
      fmt::format("trying whether {} call{} can be replayed", calls.size(), calls.size() == 1 ? "" : "s"));
  for (size_t i = 0; i < calls.size(); ++i) {
    Runner& ready = runner.ready();
    try {
      ready.try_call(calls[i]);
    } catch (const Error& error) {
      refused[i] = error.line();
    }
    progress.update(static_cast<double>(i + 1) / static_cast<double>(calls.size()));
  }
  progress.finish();
  return refused;
}

}  // namespace kjoule
