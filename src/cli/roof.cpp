#include "cli/roof.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/error.hpp"
#include "base/program_lines.hpp"
#include "cli/torch_runner.hpp"

namespace kjoule {

Roof measured_roof(const SubjectOptions& options, const std::string& type) {
  std::optional<Roof> roof;
  const ObjectsEnd end =
      run_for_objects(roof_runner(type, options, prepared_runner()), [&](const nlohmann::json& json) {
        if (json.contains("flop_per_s"))
          roof = {json.at("flop_per_s").get<double>(), json.at("byte_per_s").get<double>()};
      });
  if (roof) return *roof;
  throw Error(fmt::format("the device's roofs were not measured: {} ({})", end.other, end.how));
}

}  // namespace kjoule
