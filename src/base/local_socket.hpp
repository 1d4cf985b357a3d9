#pragma once
#include <sys/types.h>

#include <string>

namespace kjoule {

/// A process that connected.
struct Guest {
  int socket = -1;  ///< the caller closes it
  pid_t pid = 0;    ///< 0: not in sight of this process (another pid namespace)
};

/// Listens under an abstract name: no file that a kill could leave behind, no folder that a sandbox may hide,
/// no length limit from TMPDIR. The name has 128 random bits, and because abstract names can be listed by
/// every user, only processes of this user and of root get in.
class Listener {
 public:
  Listener();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// What connect_to() takes.
  const std::string& name() const { return name_; }
  /// Readable when somebody waits at the door.
  int descriptor() const { return descriptor_; }
  /// The next who waits; `socket` is -1 when there is nobody who may come in.
  Guest accept();

 private:
  std::string name_;
  int descriptor_ = -1;
};

/// A socket connected to the Listener of that name; -1 when nobody listens.
int connect_to(const std::string& name);

}  // namespace kjoule
