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
  closed,  ///< kjoule closed the connection, because it no longer needs the device or has ended
  quit,    ///< the program must end now
  /// Another process is measured. This one continues as if kjoule were not there.
  refused,
};

class Server;

/// The end of the protocol in the process that contains the device. The caller closes the socket.
class Service {
 public:
  using OpenDevice = std::function<std::shared_ptr<Device>()>;
  /// A function that converts an exception of another type to an Error.
  using Explain = std::function<Error(const std::exception&)>;

  /// Without `explain`, other exceptions become Errors with their own text and no remedy.
  explicit Service(int socket, Explain explain = {});

  /// Answers requests in order until kjoule sends no more. The greeting is answered when `open_device`
  /// returns, which may take any time. If `open_device` throws Error, this error is the answer to the
  /// greeting.
  ServiceEnd run(const OpenDevice& open_device);
  /// Answers requests in kjoule-torch until kjoule ends them, or `runner` becomes unusable. The greeting
  /// contains the work, which `runner` starts. `runner` also answers the requests to a Runner.
  ServiceEnd run(Runner& runner);
  /// Sends kjoule a report on the program's launches so far, a text as for report_end(). kjoule uses the last
  /// such report if the program is killed. Any thread may call this function while run() is recording.
  void report_progress(const std::string& seen);
  /// Sends kjoule the message that the program ends by itself, with a report on its launches: "3120 launches,
  /// at best every 291 alike, 4 times". Any thread may call this function, also while run() is recording. In
  /// a fork of the process, the function does nothing.
  void report_end(const std::string& seen);

 private:
  ServiceEnd answer_all(Server& server);
  void send(const nlohmann::json& message);

  int socket_;
  Explain explain_;
  pid_t owner_;
  Mutex sending_;  ///< held while a message is sent
};

/// Run a Service in a process that never calls report_progress() or report_end().
ServiceEnd serve(int socket, const Service::OpenDevice& open_device);
ServiceEnd serve(int socket, Runner& runner, const Service::Explain& explain);

}  // namespace kjoule
