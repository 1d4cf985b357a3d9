#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/process/start.hpp"
#include "device/runner.hpp"

namespace kjoule {

class ChildLink;
class Connection;

/// Returns the Error for a `program` that ended before its work was complete. `how` states how the program
/// ended ("exit code 3"); `last_line` is the last line that the program or one of its libraries wrote. If
/// `last_line` is an error message of the program (it begins with the program's name), it is the cause of the
/// Error. Otherwise the cause contains `how` and `last_line`.
Error runner_end_error(const std::string& how, const std::string& last_line,
                       const std::string& program = "kjoule-torch");

/// A Runner in a child process.
class RemoteRunner final : public Runner {
 public:
  /// Starts the process with the environment variables `more` in addition to those of this process. "{fd}" in
  /// the command is replaced by the file descriptor of the process's end of the socket. `program` is the name
  /// of the process in errors. Throws Error if the process cannot be started.
  explicit RemoteRunner(std::vector<std::string> command, const Environment& more = {},
                        std::string program = "kjoule-torch");
  ~RemoteRunner() override;
  /// Throws runner_end_error() if the process ends before it answers.
  std::unique_ptr<Device> start(const RunnerWork& work) override;
  double try_call(const ReplayCall& call) override;
  SamplingDevice sampling_device() override;
  SampleAnswer sample(const SampleRequest& request) override;
  Roof roof(const std::string& type) override;
  nlohmann::json describe(const ModelWork& model) override;
  bool is_usable() const override;

 private:
  nlohmann::json ask(const char* operation, nlohmann::json body = nlohmann::json::object());

  std::string program_;
  std::shared_ptr<ChildLink> link_;
  std::shared_ptr<Connection> connection_;
};

}  // namespace kjoule
