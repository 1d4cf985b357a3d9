#include "torch/say.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace kjoule::child {

void say(const nlohmann::json& line) {
  fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::fflush(stdout);
}

}  // namespace kjoule::child
