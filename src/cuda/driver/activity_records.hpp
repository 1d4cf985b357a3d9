#pragma once
#include <cupti.h>

#include <functional>

#include "cuda/driver/cupti.hpp"

namespace kjoule::cuda {

/// The records of device operations (kernels, copies, memsets) that CUPTI delivers. CUPTI supports one
/// receiver per process: the object that was enabled last.
class ActivityRecords {
 public:
  /// `receive` is called with every record, on a thread of CUPTI or on the thread that calls flush(). Throws
  /// Error if CUPTI refuses.
  ActivityRecords(const Cupti& cupti, std::function<void(const CUpti_Activity&)> receive);
  ~ActivityRecords();
  ActivityRecords(const ActivityRecords&) = delete;
  ActivityRecords& operator=(const ActivityRecords&) = delete;

  /// Starts the records and makes this object their receiver. Launches cost extra time from then on. Throws
  /// Error if CUPTI refuses, for example because another profiler uses it.
  void enable();
  /// Stops the records. Records that were not flushed before are lost.
  void disable();
  /// Delivers the records of CUPTI's full buffers; with `forced`, also those of buffers that are not full.
  void flush(bool forced);
  /// Returns the number of records that were lost since the last call because CUPTI had no buffer for them.
  size_t take_dropped();

 private:
  const Cupti& cupti_;
  std::function<void(const CUpti_Activity&)> receive_;
  decltype(&cuptiActivityEnable) enable_;
  decltype(&cuptiActivityDisable) disable_;
  decltype(&cuptiActivityFlushAll) flush_;
};

}  // namespace kjoule::cuda
