#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process/program.hpp"
#include "device/device.hpp"
#include "device/injection_options.hpp"
#include "device/link.hpp"
#include "device/measured_process.hpp"
#include "device/rendezvous.hpp"

namespace kjoule {

/// Returns the path of the injected library, which is next to this executable or in ../lib. Throws Error if
/// this kjoule has no such library, or if the environment already injects another tool.
std::string find_injected_library();
/// Returns the variables with which the CUDA driver loads the library into a program.
Environment environment_with_library(const std::string& library);

/// A user's unmodified program, into which the CUDA driver loads the injected library, and the link to the
/// one of its processes that uses the device. The destructor ends the program and everything that it started,
/// unless run_to_end() was called.
class InjectedProgram final : public Link {
 public:
  /// Starts the program, with the variables `more`, and waits until one of its processes uses the device.
  /// Sets `options.socket` itself.
  /// Throws Error if the program ends before, and the error with which the library answers the greeting.
  InjectedProgram(std::vector<std::string> command, const std::string& library, InjectionOptions options,
                  ProgramStreams streams = {}, Environment more = {});
  ~InjectedProgram() override;

  /// Returns the program's name.
  const std::string& name() const { return program_->name(); }
  /// Returns the measured process's answer to the greeting.
  const DeviceInfo& info() const { return info_; }
  int socket() const override { return measured_->socket(); }
  bool await_message(const std::string& operation) override;
  void wait_for_exit() override;
  std::string how_it_ended() override;
  std::optional<int> exit_code() override { return program_->exit_code(); }
  std::string remedy_of_early_end() const override { return "check that it runs without kjoule"; }

  /// Gives up the device, waits until the program ends by itself and returns its exit code (128 + signal if a
  /// signal ended it).
  int run_to_end();
  /// Gives up the device and waits for so long until the program ends by itself. Returns its exit code;
  /// nothing if it runs on.
  std::optional<int> run_for(std::chrono::milliseconds patience);

 private:
  /// Waits until one process has answered the greeting. Throws Error if the program ends before.
  void wait_for_measured_process();
  [[noreturn]] void throw_ended_before(const std::string& end) const;

  std::unique_ptr<Rendezvous> rendezvous_;  ///< null once run_to_end() was called
  std::unique_ptr<Program> program_;
  std::optional<int> rank_;
  std::optional<MeasuredProcess> measured_;
  DeviceInfo info_;
};

}  // namespace kjoule
