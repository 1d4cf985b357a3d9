#pragma once
#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <string>

#include "device/device.hpp"
#include "device/injection_options.hpp"
#include "device/link.hpp"
#include "device/measured_process.hpp"
#include "device/waiting_program.hpp"

namespace kjoule {

/// The link to a running program that waited to be measured. When it is closed, for example because kjoule
/// was killed, the injected library lets the program go on as its own iteration left it.
class AttachedProgram final : public Link {
 public:
  /// Connects to the program. Throws Error if that does not listen any more, or is another user's.
  explicit AttachedProgram(const WaitingProgram& program);
  ~AttachedProgram() override;
  AttachedProgram(const AttachedProgram&) = delete;
  AttachedProgram& operator=(const AttachedProgram&) = delete;

  int socket() const override { return process_->socket(); }
  bool await_message(const std::string& operation) override;
  std::string how_it_ended() override;
  std::string remedy_of_early_end() const override { return "look for the reason in its own output"; }

 private:
  std::string name_;  ///< with the process id
  std::unique_ptr<MeasuredProcess> process_;
};

/// What is called while a program is waited for.
struct AttachListener {
  std::function<void()> accepts;                             ///< the program has accepted, and is watched
  std::function<void(const std::string& seen)> is_searched;  ///< every 10 s until an iteration is found
};

/// Asks a waiting program to be measured and returns its device, once it launches something. Throws Error if
/// it does not answer, and the error with which the injected library refuses: another kjoule measures the
/// program, or it could not go on unharmed.
std::unique_ptr<Device> attach(const WaitingProgram& program, const InjectionOptions& options,
                               const AttachListener& listener);

/// Returns the options in the request with which attach() begins. Throws Error if it is of another version.
InjectionOptions read_attach_request(const nlohmann::json& request);

}  // namespace kjoule
