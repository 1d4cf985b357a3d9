#pragma once
#include <sys/types.h>

#include <string>

namespace kjoule {

/// A process at the other end of a socket.
struct ConnectedProcess {
  int socket = -1;  ///< the connected socket, which the caller must close
  pid_t pid = 0;    ///< process id; 0 if the process is in another pid namespace
};

/// A listening socket with an abstract name. Unlike a socket file, it does not remain on disk after a kill,
/// does not need a folder that a sandbox could hide, and does not limit the length of TMPDIR. Since every
/// user can list abstract names, only processes of this user and of root are accepted.
class Listener {
 public:
  /// Listens under a name with 128 random bits.
  Listener();
  /// Listens under this name, which begins with '@'. Throws Error if another process uses the name.
  explicit Listener(std::string name);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Returns the name for connect_to().
  const std::string& name() const { return name_; }
  /// Returns a descriptor that is readable when a process waits for accept().
  int descriptor() const { return descriptor_; }
  /// Accepts the next process of the same user that waits for a connection; `socket` is -1 if none waits.
  ConnectedProcess accept();

 private:
  std::string name_;
  int descriptor_ = -1;
};

/// Returns a socket connected to the Listener of that name; -1 if there is no such Listener.
int connect_to(const std::string& name);
/// Connects to the Listener of that name. `socket` in the result is -1 if there is no such Listener, or if it
/// belongs to another user than this user or root. If this process belongs to root, Listeners of all users
/// are accepted.
ConnectedProcess connect_to_trusted(const std::string& name);

}  // namespace kjoule
