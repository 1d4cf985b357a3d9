#include "compare/iteration/start_spread.hpp"

#include "start_spread_text.hpp"

namespace kjoule {

StartSpread bundled_start_spread() {
  return read_fields<StartSpread>(nlohmann::json::parse(kStartSpread), "start_spread");
}

}  // namespace kjoule
