#include "sampling/sampled_board.hpp"

#include "base/error.hpp"
#include "base/json/json_fields.hpp"
#include "power/meters/board_facts.hpp"

namespace kjoule {

nlohmann::ordered_json describe_sampled_board(const SamplingDevice& device) {
  if (device.uuid.empty()) return {};
  try {
    return write_fields(read_board_facts(device.uuid));
  } catch (const Error& error) {
    return "unknown: " + error.line();
  }
}

}  // namespace kjoule
