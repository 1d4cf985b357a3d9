#include "run/python_runner.hpp"

#include "device/remote_runner.hpp"
#include "run/python.hpp"

namespace kjoule {

std::unique_ptr<Runner> start_python_runner(const RunnerWork& place,
                                            const std::vector<std::string>& arguments) {
  std::vector<std::string> command = python_command("kjoule_operators");
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), {"--fd", "{fd}"});
  auto runner = std::make_unique<RemoteRunner>(command, Environment{}, "kjoule_operators");
  runner->start(place);
  return runner;
}

}  // namespace kjoule
