#include "run/measured_roof.hpp"

#include <optional>

#include "base/program_lines.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

Roof measured_roof(const SubjectOptions& options, const std::string& type) {
  std::optional<Roof> roof;
  const ObjectsEnd end =
      run_for_objects(roof_runner(type, options, prepared_runner()), [&](const nlohmann::json& json) {
        if (json.contains("flop_per_s"))
          roof = {json.at("flop_per_s").get<double>(), json.at("byte_per_s").get<double>()};
      });
  if (roof) return *roof;
  throw runner_ended(end.how, end.other);
}

}  // namespace kjoule
