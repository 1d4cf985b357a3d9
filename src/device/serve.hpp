#pragma once
#include <sys/types.h>

#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "device/runner.hpp"

namespace kjoule {

/// What kjoule's last word was.
enum class Farewell {
  closed,   ///< none: it needs this device no longer, or is gone
  quit,     ///< the program is to end now
  refused,  ///< it measures another process; this one is to run on as if nothing were
};

class Server;

/// The device's end of the protocol, over a connected socket, which stays the caller's.
class Service {
 public:
  using OpenDevice = std::function<std::unique_ptr<Device>()>;
  /// Makes an Error of an exception that is none.
  using Explain = std::function<Error(const std::exception&)>;

  /// Without `explain` exceptions are passed on as they are, with no remedy.
  explicit Service(int socket, Explain explain = {});

  /// Answers until kjoule says farewell. The greeting is answered when `open_device` returns, which may take
  /// as long as it likes; its Error is the answer otherwise. Plays in the order asked.
  Farewell run(const OpenDevice& open_device);
  /// The same for kjoule-torch: the greeting brings what it is to run, and `runner` answers requests of its
  /// own. Ends when `runner` has become unusable, too.
  Farewell run(Runner& runner);
  /// What was seen so far, in the words of tell_ended(): all that is known when the program is killed. From
  /// any thread, while run() is recording.
  void tell_seen(const std::string& seen);
  /// The program ends by itself, and this is what was seen of it: "3120 launches, at best every 291 alike,
  /// 4 times". From any thread, also while run() is still recording; does nothing in a fork of the process.
  void tell_ended(const std::string& seen);

 private:
  Farewell answer_all(Server& server);
  void send(const nlohmann::json& message);

  int socket_;
  Explain explain_;
  pid_t owner_;
  std::mutex sending_;
};

/// A Service for a process that has nothing else to say.
Farewell serve(int socket, const Service::OpenDevice& open_device);
Farewell serve(int socket, Runner& runner, const Service::Explain& explain);

}  // namespace kjoule
