#include "compare/iteration/start_spread.hpp"

#include "base/json/parse_json.hpp"
#include "start_spread_text.hpp"

namespace kjoule {

StartSpread bundled_start_spread() {
  return read_fields<StartSpread>(parse_json(kStartSpread, "start_spread"), "start_spread");
}

}  // namespace kjoule
