#pragma once

#include "base/process/signal_handler.hpp"

namespace kjoule {

/// While an object exists, SIGINT, SIGTERM and SIGHUP request a stop instead of ending the process.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// Waits for the given time, or until a stop is requested. Returns whether a stop was requested.
  bool wait(double seconds) const;

 private:
  int asked_ = -1;  ///< file descriptor of an event that is set when a stop is requested
  SignalHandler signals_;
};

}  // namespace kjoule
