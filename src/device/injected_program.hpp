#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/program.hpp"
#include "device/device.hpp"
#include "device/injection_options.hpp"
#include "device/link.hpp"
#include "device/rendezvous.hpp"

namespace kjoule {

/// The injected library beside this executable or in ../lib. Throws Error when this kjoule has none, and when
/// the environment injects another tool already.
std::string find_injected_library();

/// A user's program, unmodified, in which the CUDA driver loads the injected library; the link to that
/// process of it which uses the device. Ends the program and all that it started on destruction, unless it
/// ran to its end.
class InjectedProgram final : public Link {
 public:
  /// Starts the program (`options.socket` is filled in here) and waits until one of its processes uses the
  /// device. Throws Error when it ends before, and what the library reports instead of a greeting.
  InjectedProgram(std::vector<std::string> command, const std::string& library, InjectionOptions options);
  ~InjectedProgram() override;

  const std::string& name() const { return program_->name(); }
  const DeviceInfo& info() const { return info_; }
  int socket() const override { return meeting_->chosen()->socket; }
  bool await_message() override;
  std::string how_it_ended() override;
  std::string remedy_of_early_end() const override { return "check that it runs by itself"; }

  /// The device is needed no longer: waits until the program ends by itself and returns its exit code (128 +
  /// signal).
  int run_to_end();

 private:
  void meet();
  [[noreturn]] void ended_before(const std::string& end) const;

  std::unique_ptr<Rendezvous> meeting_;  ///< none once the program is on its own
  std::unique_ptr<Program> program_;
  std::optional<int> rank_;
  int process_ends_ = -1;  ///< readable when the measured process ends; -1 when it cannot be watched
  DeviceInfo info_;
};

}  // namespace kjoule
