#pragma once
#include <sys/types.h>

namespace kjoule {

/// A small process that ends what this process started, and removes its temporary folders, if this process
/// is killed or crashes before the object is destroyed: SIGTERM, and SIGKILL 2 s later, to all processes with
/// the mark of this run (base/process/run_mark.hpp) and to their descendants.
///
/// It has a session of its own, so no signal to this process's group reaches it, and none of this process's
/// files, so nobody waits for it to close them. It is not one of running_descendants(). If it cannot be
/// started, this process runs without it.
class Guardian {
 public:
  /// Forks, so it must be made before any other thread.
  Guardian();
  /// Ends the guardian and leaves everything else as it is.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;
};

/// Ends the guardian of this process, if it has one. Call it before this process ends on purpose.
void dismiss_guardian();

}  // namespace kjoule
