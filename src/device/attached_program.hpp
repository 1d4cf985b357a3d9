#pragma once
#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <string>

#include "device/connection.hpp"
#include "device/device.hpp"
#include "device/injection_options.hpp"
#include "device/link.hpp"
#include "device/measured_process.hpp"
#include "device/waiting_program.hpp"

namespace kjoule {

/// The link to a running program that waited to be measured (kjoule env). When the link is closed, for
/// example because kjoule was killed, the injected library restores the program's memory, and the program
/// continues after its recorded iteration.
class AttachedProgram final : public Link {
 public:
  /// Connects to the program. Throws Error if the program no longer listens, or belongs to another user.
  explicit AttachedProgram(const WaitingProgram& program);
  ~AttachedProgram() override;
  AttachedProgram(const AttachedProgram&) = delete;
  AttachedProgram& operator=(const AttachedProgram&) = delete;

  MeasuredProcess& process() { return *process_; }
  int socket() const override { return process_->socket(); }
  bool await_message(const std::string& operation) override;
  std::string how_it_ended() override;
  std::string remedy_of_early_end() const override { return "look for the reason in its own output"; }

 private:
  std::string name_;  ///< name and process id of the program
  std::unique_ptr<MeasuredProcess> process_;
};

/// The functions that attach() calls while it waits for a program.
struct AttachListener {
  std::function<void()> accepts;  ///< called when the program has accepted the request
  /// called every 10 s until an iteration is found; `seen` describes the program's launches so far
  std::function<void(const std::string& seen)> is_searched;
};

/// Requests the measurement of a waiting program. Waits until the program launches something, and returns its
/// device. Throws Error if the program does not answer, if another kjoule measures the program, or if the
/// program could not continue correctly after a measurement.
std::unique_ptr<Device> attach(const WaitingProgram& program, const InjectionOptions& options,
                               const AttachListener& listener);

/// Requests a measurement with these options. Returns whether the program has already used a GPU. Throws
/// Error if the program does not answer or refuses.
bool request_measurement(Connection& connection, const InjectionOptions& options);

/// Returns the options in the request of request_measurement(). Throws Error if the request comes from
/// another version of kjoule.
InjectionOptions read_attach_request(const nlohmann::json& request);

}  // namespace kjoule
