#pragma once
#include <cupti.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/process/mutex.hpp"
#include "cuda/driver/activity_records.hpp"
#include "cuda/driver/cupti.hpp"
#include "cuda/watch/program_state.hpp"
#include "recording/run_log_writer.hpp"

namespace kjoule::cuda {

/// Creates the folder for the log of this process within `folder`, named by the process id, and returns it.
/// Throws filesystem_error if that fails.
std::filesystem::path log_folder_of_process(const std::filesystem::path& folder);

/// Logs the whole run of a program: the calls of the host, and the device's operations as CUPTI reports them.
/// It never pauses the program. Once it has started, it throws no exceptions: an error ends the log with a
/// line on stderr, and the program continues.
class RunObserver {
 public:
  /// Creates the log in the folder. Throws Error if the log cannot be created.
  explicit RunObserver(const std::filesystem::path& folder) : log_(folder) {}
  /// Starts to log. From then on, on_enter() and on_success() must be called for the callbacks of `cupti`,
  /// which must include at least DriverCallbacks::Extent::launches. Throws Error if CUPTI refuses.
  void start(Cupti& cupti);
  /// Switches the records of device operations on or off; they are on at first. While they are on, launches
  /// are slower, and nothing else can use CUPTI's records. Host calls are always logged.
  void want_records(bool wanted);
  /// Completes the log; call it when the program ends.
  void finish();
  /// Logs the effect of a driver call that begins. The calling thread must be exempt (ThreadState).
  void on_enter(const CUpti_CallbackData& data, const ProgramState::Effect& effect, ProgramState& state);
  /// Logs a driver call that was successful.
  void on_success(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void begin_range(std::string_view name);
  void end_range(std::string_view name);

 private:
  /// Performs a step, unless an earlier step has failed. A failure ends the log. The caller must hold the
  /// lock that the step needs.
  template <typename Step>
  void attempt(const Step& step) KJOULE_UNCHECKED_LOCKS;
  void on_launch(const SeenLaunch& launch, uint32_t correlation, ProgramState& state);
  void on_operation(const CUpti_Activity& record);
  /// Logs the GPUs that the process sees, once.
  void log_devices();
  void add_call(HostCallKind kind, uint32_t name, uint64_t value = 0);
  void add_range(HostCallKind kind, std::string_view name);
  void open_records(const Cupti& cupti) KJOULE_REQUIRES(records_mutex_);
  void log_clocks(const Cupti& cupti);
  void close_records() KJOULE_REQUIRES(records_mutex_);
  void keep_records(const Cupti& cupti);
  /// Moves CUPTI's records into the log; with `forced` also those of buffers that are not full.
  void flush(bool forced) KJOULE_REQUIRES(records_mutex_);

  std::atomic<bool> devices_logged_ = false, sees_several_ = false;
  std::atomic<bool> finished_ = false, failed_ = false;
  RunLogWriter log_;
  Mutex records_mutex_;
  std::condition_variable changed_;
  std::unique_ptr<ActivityRecords> records_ KJOULE_GUARDED_BY(records_mutex_);  ///< null while closed
  std::atomic<bool> wanted_ = true, open_ = false;  ///< change only under the lock
};

}  // namespace kjoule::cuda
