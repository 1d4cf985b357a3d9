#pragma once
#include <sys/types.h>

namespace kjoule {

/// A small process that cleans up if this process is killed or crashes before the object is destroyed. It
/// sends SIGTERM, and SIGKILL 2 s later, to all processes with the mark of this run
/// (base/process/run_mark.hpp) and to their descendants, and removes the temporary folders of this process.
///
/// The guardian has a session of its own, so that signals to this process's group do not reach the guardian.
/// It has closed the files of this process, so that no reader of a pipe waits for the guardian. It is not one
/// of running_descendants(). If the guardian cannot be started, this process runs without a guardian.
class Guardian {
 public:
  /// Create the object before any thread is started, because the constructor forks.
  Guardian();
  /// Ends the guardian; the guardian then cleans up nothing.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;
};

/// Ends the guardian of this process, if it has one. Call it before this process ends on purpose.
void dismiss_guardian();

}  // namespace kjoule
