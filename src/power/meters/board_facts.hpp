#pragma once
#include <optional>
#include <string>

namespace kjoule {

/// Facts of a GPU's board and driver on which times and energies depend. A fact that NVML does not report is
/// absent.
struct BoardFacts {
  std::string uuid, driver;
  std::optional<double> power_limit_w, default_power_limit_w;
  std::optional<bool> has_ecc;  ///< whether its memory corrects errors
  std::optional<unsigned> highest_sm_clock_mhz, highest_memory_clock_mhz;
};

/// Reads the facts of the board with this UUID. Throws Error if NVML is missing or does not list the GPU.
BoardFacts read_board_facts(const std::string& uuid);

template <class Fields>
void describe(Fields& fields, BoardFacts& board) {
  fields("uuid", board.uuid);
  fields("driver", board.driver);
  fields("power_limit_w", board.power_limit_w);
  fields("default_power_limit_w", board.default_power_limit_w);
  fields("ecc", board.has_ecc);
  fields("highest_sm_clock_mhz", board.highest_sm_clock_mhz);
  fields("highest_memory_clock_mhz", board.highest_memory_clock_mhz);
}

}  // namespace kjoule
