#pragma once
#include <cupti.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process/mutex.hpp"
#include "cuda/calls/driver_callbacks.hpp"
#include "cuda/driver/cupti.hpp"
#include "cuda/session/rank_position.hpp"
#include "cuda/session/session.hpp"
#include "cuda/watch/busiest_stream.hpp"
#include "cuda/watch/held_frees.hpp"
#include "cuda/watch/kept_iteration.hpp"
#include "cuda/watch/program_state.hpp"

namespace kjoule::cuda {

class RunObserver;

/// Connects the program's threads, whose driver calls arrive as callbacks, with the worker thread, which
/// records and replays while the program is paused.
class ProgramMonitor {
 public:
  /// `gpu` is the device number of the measured GPU. Work on other GPUs of the process is ignored. Without a
  /// number, work on all GPUs counts.
  /// `position` is kept up to date, if it is not null: where this process is among the ranks of its program.
  explicit ProgramMonitor(std::optional<int> gpu, RankPosition* position = nullptr)
      : state_(gpu), position_(position) {}
  /// Starts to receive callbacks, and watches the program's launches for `session`. Throws Error when CUPTI
  /// cannot be used.
  void subscribe(std::unique_ptr<Session> session);
  /// Starts to receive callbacks about what launches use, but not about launches. The program counts as
  /// released, and stays subscribed whenever it is released. Throws Error when CUPTI cannot be used.
  void stand_by();
  /// Watches the launches of a released program for `session`, after stand_by().
  void watch(std::unique_ptr<Session> session);
  /// Logs the program's run until its iteration is recorded. Call it after subscribe() and before the program
  /// launches anything. Throws Error when CUPTI refuses.
  void observe_with(RunObserver& observer);

  /// Excludes the calling thread: its driver calls are ignored from now on. The thread that replays must call
  /// it.
  static void exempt_this_thread();
  /// Blocks until the program launches its first operation (since watch()), and returns the context of that
  /// launch. Throws Error if the program is released before.
  CUcontext wait_for_context();
  /// What the program holds.
  struct Held {
    CUcontext context = nullptr;  ///< in which it allocated memory last; null if it never did
    uint64_t device_bytes = 0;
    uint64_t managed_bytes = 0;  ///< of these
    int64_t arrays = 0;          ///< CUDA arrays
  };
  Held held();
  /// Blocks until the program reaches the first launch of the iteration. The program is paused from then on.
  /// Throws Error if the program is released before.
  void wait_for_begin();
  /// As wait_for_begin(), for so many seconds. Returns false if the iteration is not found by then; the
  /// program then runs on, and nothing is recorded until look_for(). If `waits_on` returns true then, waits
  /// on until it begins.
  bool wait_for_begin(double patience_s, const std::function<bool()>& waits_on = {});
  /// Watches the launches that follow for what `make` returns, which is given the number of launches so far,
  /// and waits for `patience_s` until the program reaches the first launch to be recorded, as
  /// wait_for_begin(). Returns false if it does not: then the program runs on, and nothing is recorded.
  bool look_for(const std::function<std::unique_ptr<Session>(uint64_t launches)>& make, double patience_s);
  /// Records the iteration that the leading rank announces, instead of one that this process finds.
  void follow();
  /// Returns whether other ranks record the iteration, too.
  bool is_shared();
  /// Lets the program run one iteration and blocks until it is paused after it. Returns false when the
  /// iteration differed from the previous ones. Throws Error when a launch of it cannot be kept.
  bool record_iteration();
  /// Discards the recorded iteration and lets the program continue, until another one begins
  /// (wait_for_begin()). Returns false if the iteration was given, not found.
  bool search_again();
  /// Returns whether the iteration that follows the recorded one can be recorded instead.
  bool can_record_next();
  /// Discards the recorded iteration, in which nothing was replayed, and lets the program continue until the
  /// next one begins (wait_for_begin()), after can_record_next().
  void record_next();
  /// Lets the program continue after its recorded iteration was measured. If the session expects another
  /// iteration, the program is paused again when that begins (wait_for_begin()). Otherwise nothing is
  /// recorded until look_for().
  void go_on();
  /// Returns whether the program was released.
  bool is_released() const { return phase_ == Phase::released; }
  /// Pauses the program's threads at every driver call from now on, not only at launches.
  void pause_at_every_call();
  /// Lets the program continue, and stops watching its launches.
  void release();
  /// Lets the program continue after a recording, and records nothing until look_for().
  void run_on();
  /// Releases the program, unless it is at its iteration or after it. Any thread may call it.
  void stop_searching();
  /// Ends the recording if it is complete without a further launch, and pauses the calling thread, with which
  /// the program ends.
  void end_with_program();
  /// Handle the program's NVTX ranges. If the end of a range completes the recording, end_range() pauses the
  /// calling thread.
  void begin_range(std::string_view name);
  void end_range(std::string_view name);

  /// Valid only while the program is paused, which does not change it then: no lock is needed.
  const KeptIteration& iteration() const KJOULE_UNCHECKED_LOCKS { return iteration_; }
  /// Returns how many of the recorded launches are before and after the measured ones.
  WindowEdges edges() const {
    const MutexLock lock(mutex_);
    return session_->edges();
  }
  /// Returns the memory that launches may change (ProgramState::memory()). Threads of the program may
  /// allocate meanwhile.
  std::vector<Allocation> memory();
  /// Returns the host times of the iterations that the program ran before the recorded one.
  std::vector<IterationSpan> passed_iterations() const {
    const MutexLock lock(mutex_);
    return session_->passed_iterations();
  }
  /// Returns whether the host launched ahead of the device in them.
  bool runs_ahead() const {
    const MutexLock lock(mutex_);
    return session_->runs_ahead();
  }
  /// Returns a clause that says which launches are the iteration and why.
  std::string describe_iteration() const {
    const MutexLock lock(mutex_);
    return session_->describe_iteration();
  }
  /// Returns the numbers of the measured launches of a window that is no iteration.
  std::optional<LaunchRange> window() const {
    const MutexLock lock(mutex_);
    return session_->window();
  }
  /// Returns the number of the recorded phase; nothing if no phases are searched for.
  std::optional<uint32_t> phase() const {
    const MutexLock lock(mutex_);
    return session_->phase();
  }
  /// Returns the loop that the recorded iteration belongs to; nothing if it was not found by its repetition.
  std::optional<IterationPosition> loop() const {
    const MutexLock lock(mutex_);
    return session_->loop();
  }
  /// Returns the stream in which to replay (see BusiestStream).
  CUstream busiest_stream();
  const Cupti& cupti() const { return *cupti_; }
  /// Returns whether a recording is expected: the program has launched an operation, and its iteration has
  /// not been recorded yet.
  bool is_recording();
  /// Returns whether the iteration has been recorded, or the program was released.
  bool is_recorded();
  /// Returns a text about the launches so far, for the message about a program that ends before its iteration
  /// is recorded.
  std::string describe_progress();

 private:
  enum class Phase { searching, begin, recording, abandoned, end, released };
  static void CUPTIAPI on_callback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void* data);
  /// Handles the start of a driver call. Returns true for a launch, which is in flight then. Puts into the
  /// launch's stream what is to come before it, without the lock: the driver may wait for room in the stream,
  /// until another thread of the program has made its next call.
  bool enter(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool on_enter(MutexLock& lock, CUpti_CallbackId id, const CUpti_CallbackData& data) KJOULE_REQUIRES(mutex_);
  void on_exit(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_resource(CUpti_CallbackId id, const void* data);
  void on_launch(MutexLock& lock, const SeenLaunch& launch, CUcontext context) KJOULE_REQUIRES(mutex_);
  Step next_step(const SeenLaunch& launch) KJOULE_REQUIRES(mutex_);
  /// Handles a call of the recorded iteration that frees memory, before the program's state changes.
  void hold_free(CUpti_CallbackId id, const CUpti_CallbackData& data) KJOULE_REQUIRES(mutex_);
  /// Takes note of a call of the program while its iteration is recorded.
  void note_call(const CUpti_CallbackData& data, bool begins) KJOULE_REQUIRES(mutex_);
  /// Releases the program and throws the Error that says what it has been doing for too long.
  [[noreturn]] void give_up() KJOULE_REQUIRES(mutex_);
  /// Lets the program continue in search of another iteration.
  void search() KJOULE_EXCLUDES(mutex_);
  /// Begins to search, unless stop_searching() was called.
  void search_if_wanted() KJOULE_REQUIRES(mutex_);
  /// Frees what was held, because nothing is replayed (any more).
  void free_held() KJOULE_REQUIRES(mutex_);
  /// Handles a failed call. Returns whether it has succeeded when it was made again.
  bool retry(CUpti_CallbackId id, const CUpti_CallbackData& data) KJOULE_REQUIRES(mutex_);
  void on_free(const std::vector<Allocation>& freed) KJOULE_REQUIRES(mutex_);
  /// Pauses the thread whose launch has ended the recording. Gives the launch to the session again if that
  /// is wanted.
  void wait_at_end(MutexLock& lock, const SeenLaunch& launch, CUcontext context) KJOULE_REQUIRES(mutex_);
  void begin_recording(MutexLock& lock, const SeenLaunch& launch, CUcontext context) KJOULE_REQUIRES(mutex_);
  void start(DriverCallbacks::Extent extent);
  void on_launch_done(uint32_t watch);
  /// Handles the end of a call in which the host waited for the device.
  void on_wait();
  void end_if_complete();
  void on_event(DriverCallKind kind, CUpti_CallbackId id, const CUpti_CallbackData& data)
      KJOULE_REQUIRES(mutex_);
  /// Ends all callbacks, unless a graph is being captured, and removes CUPTI if the program has no graphs.
  void detach() KJOULE_EXCLUDES(mutex_);
  void wait_while_paused(MutexLock& lock) KJOULE_REQUIRES(mutex_);
  using Seconds = std::chrono::duration<double>;
  /// Waits for so long, or until `is_over` returns true. `silence` is how long the program has launched
  /// nothing before; returns how long it has then.
  Seconds wait_watching(MutexLock& lock, Seconds limit, Seconds silence, const std::function<bool()>& is_over)
      KJOULE_REQUIRES(mutex_);
  void set_phase(Phase phase) KJOULE_REQUIRES(mutex_);
  /// The program's state, for the functions of it that are called without the lock.
  ProgramState& state_without_lock() KJOULE_UNCHECKED_LOCKS { return state_; }

  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::atomic<Phase> phase_ = Phase::searching;  ///< changes only under the lock
  CUcontext context_ KJOULE_GUARDED_BY(mutex_) = nullptr;
  /// Whether the thread of the recording's first launch is still paused, so that the others must wait.
  bool first_launch_paused_ KJOULE_GUARDED_BY(mutex_) = false;
  CUcontext allocating_context_ KJOULE_GUARDED_BY(mutex_) = nullptr;
  /// Number of the watch() in progress. A launch that an earlier one let pass may still be in the driver.
  std::atomic<uint32_t> watch_ = 1;
  std::atomic<int> in_flight_ = 0;  ///< launches of this watch that have not returned from the driver
  /// Null until CUDA starts; the program may use ranges before.
  std::unique_ptr<Session> session_ KJOULE_GUARDED_BY(mutex_);
  ProgramState state_ KJOULE_GUARDED_BY(mutex_);
  RankPosition* position_;  ///< null if the program is measured in one process
  BusiestStream streams_ KJOULE_GUARDED_BY(mutex_);
  KeptIteration iteration_ KJOULE_GUARDED_BY(mutex_);
  bool is_stopped_ KJOULE_GUARDED_BY(mutex_) = false;
  /// Whether a thread is paused at the launch that ended the recording.
  bool waits_at_launch_ KJOULE_GUARDED_BY(mutex_) = false;
  /// Whether that launch is given to the session again.
  bool takes_launch_again_ KJOULE_GUARDED_BY(mutex_) = false;
  bool stands_by_ = false;  ///< whether the program stays subscribed when it is released
  bool detached_ KJOULE_GUARDED_BY(mutex_) = false;
  HeldFrees held_frees_ KJOULE_GUARDED_BY(mutex_);
  /// The last call since the program's last launch that cannot be replayed; null if there is none.
  const char* refused_since_launch_ KJOULE_GUARDED_BY(mutex_) = nullptr;
  std::atomic<uint64_t> calls_seen_ = 0;  ///< that began or ended while the iteration was recorded
  /// The last of them that began or ended.
  const char* last_call_ KJOULE_GUARDED_BY(mutex_) = "it began";
  std::atomic<bool> is_in_call_ = false;  ///< whether it has begun only
  std::unique_ptr<Cupti> cupti_;
  std::optional<DriverCallbacks> callbacks_;
  std::atomic<RunObserver*> observer_ = nullptr;  ///< null if the run is not logged
};

}  // namespace kjoule::cuda
