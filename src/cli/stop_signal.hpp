#pragma once

#include "base/signal_watch.hpp"

namespace kjoule {

/// While it lives, SIGINT, SIGTERM and SIGHUP ask for the end instead of ending this process.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// Waits that long, or until the end is asked for; true when it is.
  bool wait(double seconds) const;

 private:
  int asked_ = -1;  ///< an event that is set when the end is asked for
  SignalWatch signals_;
};

}  // namespace kjoule
