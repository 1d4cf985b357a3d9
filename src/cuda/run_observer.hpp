#pragma once
#include <cupti.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "cuda/activity_records.hpp"
#include "cuda/allocations.hpp"
#include "cuda/cupti.hpp"
#include "cuda/driver_calls.hpp"
#include "cuda/function_table.hpp"
#include "cuda/graphs.hpp"
#include "cuda/stream_captures.hpp"
#include "recording/run_log_writer.hpp"

namespace kjoule::cuda {

/// Logs the whole run of a program: the calls of the host, and the device's operations as CUPTI reports them.
/// It never pauses the program.
class RunObserver {
 public:
  /// Creates the log in the folder. Throws Error if that fails.
  explicit RunObserver(const std::filesystem::path& folder) : log_(folder) {}
  /// Starts to log. Throws Error when CUPTI cannot be used.
  void start();
  /// Completes the log; call it when the program ends.
  void finish();
  void begin_range(std::string_view name);
  void end_range(std::string_view name);

 private:
  static void CUPTIAPI on_callback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void* data);
  void on_enter(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_exit(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_launch(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_operation(const CUpti_Activity& record);
  void add_call(HostCallKind kind, uint32_t name, uint64_t value = 0);
  void add_range(HostCallKind kind, std::string_view name);
  /// Returns the number of launches with this shape hash.
  uint32_t name_number_of(const LaunchView& view, uint64_t hash);
  void flush_regularly();

  std::mutex mutex_;  ///< protects the members up to captures_
  Allocations allocations_;
  FunctionTable functions_;
  Graphs graphs_;
  StreamCaptures captures_;
  std::atomic<bool> finished_ = false;
  RunLogWriter log_;
  std::unique_ptr<Cupti> cupti_;
  std::unique_ptr<ActivityRecords> records_;
};

}  // namespace kjoule::cuda
