#pragma once
#include <sys/types.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/process/mutex.hpp"
#include "device/runner.hpp"

namespace kjoule {

/// The reason for the end of kjoule's requests.
enum class ServiceEnd {
  closed,  ///< kjoule closed the connection: it no longer needs the device, or has ended
  quit,    ///< the program must end now
  /// Another process is measured. This one continues as if kjoule were not there.
  refused,
};

class Server;

/// The device's end of the protocol. The caller closes the connected socket.
class Service {
 public:
  using OpenDevice = std::function<std::shared_ptr<Device>()>;
  /// A function that converts an exception of another type to an Error.
  using Explain = std::function<Error(const std::exception&)>;

  /// Without `explain`, other exceptions become Errors with their own text and no remedy.
  explicit Service(int socket, Explain explain = {});

  /// Answers requests in order until kjoule ends them. The greeting is answered when `open_device` returns,
  /// which may take any time. If `open_device` throws Error, this error is the answer.
  ServiceEnd run(const OpenDevice& open_device);
  /// Answers requests in kjoule-torch until kjoule ends them, or `runner` becomes unusable. The greeting
  /// contains the work, which `runner` starts. `runner` also answers the requests to a Runner.
  ServiceEnd run(Runner& runner);
  /// Reports the program's launches so far, as a text like that of report_end(). If the program is killed,
  /// kjoule knows nothing else about it. Any thread may call this function while run() is recording.
  void report_progress(const std::string& seen);
  /// Reports that the program ends by itself, and its launches: "3120 launches, at best every 291 alike, 4
  /// times". Any thread may call this function, also while run() is recording. In a fork of the process it
  /// does nothing.
  void report_end(const std::string& seen);

 private:
  ServiceEnd answer_all(Server& server);
  void send(const nlohmann::json& message);

  int socket_;
  Explain explain_;
  pid_t owner_;
  Mutex sending_;  ///< held while a message is sent
};

/// Runs a Service in a process that reports nothing with report_progress() or report_end().
ServiceEnd serve(int socket, const Service::OpenDevice& open_device);
ServiceEnd serve(int socket, Runner& runner, const Service::Explain& explain);

}  // namespace kjoule
