#include "run/python_runner.hpp"

#include "base/clock.hpp"
#include "device/remote_runner.hpp"
#include "run/python.hpp"

namespace kjoule {

namespace {

std::unique_ptr<Runner> make_python_runner(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = python_command("kjoule_operators");
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), {"--fd", "{fd}"});
  return std::make_unique<RemoteRunner>(command, Environment{}, "kjoule_operators");
}

}  // namespace

std::unique_ptr<Runner> start_python_runner(const RunnerWork& place,
                                            const std::vector<std::string>& arguments) {
  std::unique_ptr<Runner> runner = make_python_runner(arguments);
  runner->start(place);
  return runner;
}

Subject open_python_operators(const RunnerWork& work, const std::vector<std::string>& arguments) {
  Subject subject;
  subject.device = make_python_runner(arguments)->start(work);
  static const SteadyClock clock;
  subject.clock = &clock;
  subject.threads = subject.device->info().description.value("threads", work.threads);
  return subject;
}

}  // namespace kjoule
