#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/process/start.hpp"
#include "device/runner.hpp"

namespace kjoule {

class ChildLink;
class Connection;

/// Returns the Error for a `program` that ended before its work was done. Its cause is the error message that
/// the program wrote; without one, it is `how` the program ended with the `last_line` that the program or one
/// of its libraries wrote.
Error runner_end_error(const std::string& how, const std::string& last_line,
                       const std::string& program = "kjoule-torch");

/// A Runner in a child process.
class RemoteRunner final : public Runner {
 public:
  /// Starts the process with the environment variables `more` in addition to those of this process. "{fd}" in
  /// the command is replaced by the file descriptor of the process's end of the socket. `program` is its name
  /// in errors. Throws Error if the process cannot be started.
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
