#pragma once
#include <sys/types.h>

#include <string>

namespace kjoule {

/// A process that connected to the Listener.
struct ConnectedProcess {
  int socket = -1;  ///< the connected socket, which the caller must close
  pid_t pid = 0;    ///< process id; 0 if the process is in another pid namespace
};

/// A listening socket with an abstract name, which needs no file that a kill could leave on disk, no folder
/// that a sandbox could hide, and no short TMPDIR. The name has 128 random bits. Since every user can list
/// abstract names, only processes of this user and of root are accepted.
class Listener {
 public:
  Listener();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Returns the name for connect_to().
  const std::string& name() const { return name_; }
  /// Returns a descriptor that is readable when a process waits for accept().
  int descriptor() const { return descriptor_; }
  /// Accepts the next waiting process; `socket` is -1 if no permitted process waits.
  ConnectedProcess accept();

 private:
  std::string name_;
  int descriptor_ = -1;
};

/// Returns a socket connected to the Listener of that name; -1 if there is no such Listener.
int connect_to(const std::string& name);

}  // namespace kjoule
