#include "run/measured_roof.hpp"

#include "run/started_runner.hpp"

namespace kjoule {

Roof measured_roof(const SubjectOptions& options, const std::string& type) {
  return RestartedRunner(runner_place(options)).ready().roof(type);
}

}  // namespace kjoule
