#pragma once
#include <cupti.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/process/mutex.hpp"
#include "cuda/calls/shared_callbacks.hpp"
#include "cuda/driver/cupti.hpp"
#include "cuda/session/accompanying_session.hpp"
#include "cuda/session/rank_position.hpp"
#include "cuda/session/session.hpp"
#include "cuda/watch/busiest_stream.hpp"
#include "cuda/watch/held_frees.hpp"
#include "cuda/watch/kept_iteration.hpp"
#include "cuda/watch/program_state.hpp"

namespace kjoule::cuda {

class ProgramGpus;
class RunObserver;

/// Connects the program's threads, whose driver calls arrive as callbacks, with kjoule's worker thread, which
/// records and replays while the program is paused.
class ProgramMonitor {
 public:
  /// `gpu` is the device number of the measured GPU. Work of the process on other GPUs is ignored. Without a
  /// number, work on all GPUs counts. `position`, if not null, is kept up to date: it is the position of this
  /// process among the ranks of its program.
  explicit ProgramMonitor(std::optional<int> gpu, RankPosition* position = nullptr)
      : state_(gpu), position_(position) {}
  /// Makes this monitor that of the first GPU of `gpus`, which passes the callbacks on. Call it before
  /// subscribe().
  void divide_among(ProgramGpus& gpus) { gpus_ = &gpus; }
  /// Starts to receive callbacks, and passes the program's launches to `session`. Throws Error if CUPTI
  /// cannot be used.
  void subscribe(std::unique_ptr<Session> session);
  /// Passes the launches of a further GPU to `session`. The callbacks are those of `first`, the monitor of
  /// the first GPU, and are passed on by ProgramGpus.
  void join(ProgramMonitor& first, std::unique_ptr<AccompanyingSession> session);
  /// Starts to receive callbacks about memory, functions and graphs, but not about launches. The program
  /// counts as released, but callbacks continue even after release(). Throws Error if CUPTI cannot be used.
  void stand_by();
  /// Passes the launches of a released program to `session`, after stand_by(). `position` is that of the
  /// constructor.
  void watch(std::unique_ptr<Session> session, RankPosition* position = nullptr);
  /// Logs the program's run until its iteration is recorded. Call it after subscribe() and before the program
  /// launches anything. Throws Error if CUPTI refuses.
  void observe_with(RunObserver& observer);

  /// Excludes the calling thread: its driver calls are ignored from now on. The thread that replays must make
  /// this call.
  static void exempt_this_thread();
  /// Blocks until the program launches its first operation (since watch()), and returns the context of this
  /// launch. Throws Error if the program is released before.
  CUcontext wait_for_context();
  /// Memory and arrays that the program has allocated.
  struct Held {
    CUcontext context = nullptr;  ///< context of its last allocation; null if there was none
    uint64_t device_bytes = 0;
    uint64_t managed_bytes = 0;  ///< managed memory among device_bytes
    int64_t arrays = 0;          ///< number of CUDA arrays
  };
  Held held();
  /// Blocks until the program reaches the first launch of the iteration, where it is paused. Throws Error if
  /// the program is released before.
  void wait_for_begin();
  /// Like wait_for_begin(), but waits for `patience_s` seconds at most, and longer only while `waits_on`
  /// returns true. Up to `idle_s` seconds in which the program launches nothing are not counted. Returns true
  /// if the program is paused at its iteration. Returns false if the iteration was not found in this time:
  /// the program continues, and nothing is recorded until look_for().
  bool wait_for_begin(double patience_s, double idle_s = 0, const std::function<bool()>& waits_on = {});
  /// Passes the following launches to the session that `make` returns; `make` receives the number of launches
  /// so far. Waits for `patience_s` seconds until the program reaches the first launch to be recorded, as
  /// wait_for_begin(). Returns false if it does not: the program continues, and nothing is recorded.
  bool look_for(const std::function<std::unique_ptr<Session>(uint64_t launches)>& make, double patience_s);
  /// From now on, expects to record the iteration that the leading rank announces, instead of one that this
  /// process finds itself.
  void follow();
  /// Returns whether other ranks record the iteration, too.
  bool is_shared();
  /// Lets the program run one iteration, and blocks until the program is paused after this iteration. Returns
  /// false if the iteration differs from the previous ones. Throws Error if one of its launches cannot be
  /// kept.
  bool record_iteration();
  /// Discards the recorded iteration and lets the program continue until another iteration begins
  /// (wait_for_begin()). Returns false if the user specified the iteration, so that none is searched.
  bool search_again();
  /// Returns whether the next iteration can be recorded instead of the recorded one.
  bool can_record_next();
  /// Discards the recorded iteration, of which nothing was replayed, and lets the program continue until the
  /// next one begins (wait_for_begin()). Only if can_record_next().
  void record_next();
  /// Lets the program continue after its recorded iteration was measured. If the session expects another
  /// iteration, the program is paused again when it begins (wait_for_begin()). Otherwise nothing is recorded
  /// until look_for().
  void go_on();
  /// Returns whether the program was released.
  bool is_released() const { return phase_ == Phase::released; }
  /// From now on, pauses the program's threads at every driver call, not only at launches.
  void pause_at_every_call();
  /// Lets the program continue, and stops watching its launches.
  void release();
  /// Lets the program continue after a recording, and records nothing until look_for().
  void run_on();
  /// Releases the program, unless it has already reached its iteration. Any thread may call it.
  void stop_searching();
  /// Call this function when the program is about to end. If the recording is complete without a further
  /// launch, ends the recording and pauses the calling thread, so that the program does not end.
  void end_with_program();
  /// Handle the program's NVTX ranges. If the end of a range completes the recording, end_range() pauses the
  /// calling thread.
  void begin_range(std::string_view name);
  void end_range(std::string_view name);

  /// Returns the kept iteration. Call this function only while the program is paused: the program then does
  /// not change the iteration, so that no lock is needed.
  const KeptIteration& iteration() const KJOULE_UNCHECKED_LOCKS { return iteration_; }
  /// Returns the numbers of recorded launches before and after the measured ones.
  WindowEdges edges() const {
    const MutexLock lock(mutex_);
    return session_->edges();
  }
  /// Returns the memory that launches may change (ProgramState::memory()). Threads of the program may
  /// allocate memory meanwhile.
  std::vector<Allocation> memory();
  /// Returns the host times of the iterations that the program ran before the recorded one.
  std::vector<IterationSpan> passed_iterations() const {
    const MutexLock lock(mutex_);
    return session_->passed_iterations();
  }
  /// Returns whether the host launched ahead of the device in the passed iterations.
  bool runs_ahead() const {
    const MutexLock lock(mutex_);
    return session_->runs_ahead();
  }
  /// Returns a clause that states which launches are the iteration, and why.
  std::string describe_iteration() const {
    const MutexLock lock(mutex_);
    return session_->describe_iteration();
  }
  /// Returns the range of the measured launches of a window that is no iteration.
  std::optional<LaunchRange> window() const {
    const MutexLock lock(mutex_);
    return session_->window();
  }
  /// Returns the number of the recorded phase; nothing if no phases are searched for.
  std::optional<uint32_t> phase() const {
    const MutexLock lock(mutex_);
    return session_->phase();
  }
  /// Returns the loop to which the recorded iteration belongs; nothing if it was not found by repetition.
  std::optional<IterationPosition> loop() const {
    const MutexLock lock(mutex_);
    return session_->loop();
  }
  /// Returns the stream in which to replay (see BusiestStream).
  CUstream busiest_stream();
  const Cupti& cupti() const { return *cupti_; }
  /// Returns the device number of this monitor's GPU if the process works on several GPUs.
  std::optional<int> gpu_if_several();
  /// Marks the recorded iteration as not replayable if it depends on another GPU of this process other than
  /// by collectives. All GPUs must have recorded.
  void mark_dependence();

  /// Considers only memory and launches of this GPU, by its device number, from now on.
  void measure_only(int gpu);

  /// The following functions are for ProgramGpus.
  /// Handles a callback of a call whose context is on this GPU.
  void handle(CUpti_CallbackId id, const CUpti_CallbackData& call);
  /// Registers a callback of a call whose context is on another GPU, if it may concern the state of this one.
  void note(CUpti_CallbackId id, const CUpti_CallbackData& call);
  /// Exchanges the GPUs of two monitors that have seen no launch.
  void exchange_gpus(ProgramMonitor& other) KJOULE_UNCHECKED_LOCKS;
  bool has_launched() const;
  /// Returns the host's clock in ns at the last launch on this monitor's GPU, if that is not the process's
  /// first GPU; 0 if there was no such launch.
  int64_t last_launch_ns() const { return last_launch_ns_; }
  void add_module(const void* cubin, size_t bytes) { state_without_lock().add_module(cubin, bytes); }
  /// Returns whether a further GPU has a loop with so many collectives in an iteration, and can begin to
  /// record it at `place` of the first GPU.
  bool may_begin_with(const RankPlace& place, uint64_t collectives);
  /// Begins to record once the further GPU has launched as many collectives as the first one at `place`.
  void begin_with(const RankPlace& place);
  /// Ends the recording of a further GPU that has launched its iteration completely.
  void end_if_recorded();
  /// Announces on the board that this monitor's GPU records an iteration with these members of the board.
  /// Only for the first GPU.
  void announce(const SharedCut& cut, const std::vector<uint32_t>& members);
  Allocations allocations() const;
  /// Returns whether a stream of this GPU has waited for an event that `other` has recorded, within the
  /// recorded iteration. Call it only while the program is paused.
  bool waits_for_event_of(const ProgramMonitor& other) const KJOULE_UNCHECKED_LOCKS;
  /// Returns whether a recording is still expected: the program has launched an operation, but its iteration
  /// has not been recorded yet.
  bool is_recording();
  /// Returns whether the iteration has been recorded, or the program was released.
  bool is_recorded();
  /// Returns a text about the launches so far. It is used in the message about a program that ends before its
  /// iteration is recorded.
  std::string describe_progress();

 private:
  enum class Phase { searching, begin, recording, abandoned, end, released };
  static void CUPTIAPI on_callback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void* data);
  /// Handles the start of a driver call. Returns true for a launch, which is then in flight. First puts the
  /// functions that must precede the launch into its stream. No lock is held then, because the driver may
  /// wait for space in the stream until another thread of the program makes its next call.
  bool enter(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool on_enter(MutexLock& lock, CUpti_CallbackId id, const CUpti_CallbackData& data) KJOULE_REQUIRES(mutex_);
  void on_exit(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_resource(CUpti_CallbackId id, const void* data);
  void on_launch(MutexLock& lock, const SeenLaunch& launch, CUcontext context) KJOULE_REQUIRES(mutex_);
  Step next_step(const SeenLaunch& launch) KJOULE_REQUIRES(mutex_);
  /// Handles a call that frees memory within the recorded iteration, before the program's state changes.
  /// Where the call waits for the device, the lock is unlocked meanwhile.
  void hold_free(MutexLock& lock, CUpti_CallbackId id, const CUpti_CallbackData& data)
      KJOULE_REQUIRES(mutex_);
  /// Registers a call that the program makes while its iteration is recorded.
  void note_call(const CUpti_CallbackData& data, bool begins) KJOULE_REQUIRES(mutex_);
  /// Releases the program, and throws the Error that states in which call it has spent too much time.
  [[noreturn]] void give_up() KJOULE_REQUIRES(mutex_);
  /// Lets the program continue and searches for another iteration.
  void search() KJOULE_EXCLUDES(mutex_);
  /// Begins to search, unless stop_searching() was called.
  void search_if_wanted() KJOULE_REQUIRES(mutex_);
  /// Frees the held memory, because nothing is replayed from now on.
  void free_held() KJOULE_EXCLUDES(mutex_);
  /// Returns the held memory, which the caller must free. It is no longer memory of the program.
  std::vector<Allocation> take_held() KJOULE_REQUIRES(mutex_);
  /// Handles a failed call. Returns whether the call was repeated successfully; the lock is unlocked
  /// meanwhile.
  bool retry(MutexLock& lock, CUpti_CallbackId id, const CUpti_CallbackData& data) KJOULE_REQUIRES(mutex_);
  void on_free(const std::vector<Allocation>& freed) KJOULE_REQUIRES(mutex_);
  /// Pauses the thread whose launch has ended the recording. Afterwards passes the launch to the session
  /// again if that was requested.
  void wait_at_end(MutexLock& lock, const SeenLaunch& launch, CUcontext context) KJOULE_REQUIRES(mutex_);
  /// Handles the first launch of an iteration that may be recorded. Returns false if it passes.
  bool begin_if_ready(MutexLock& lock, const SeenLaunch& launch, CUcontext context) KJOULE_REQUIRES(mutex_);
  void begin_recording(MutexLock& lock, const SeenLaunch& launch, CUcontext context) KJOULE_REQUIRES(mutex_);
  /// Begins to record with the next launch of a further GPU.
  void begin_here() KJOULE_REQUIRES(mutex_);
  void start_iteration() KJOULE_REQUIRES(mutex_);
  /// Registers that a launch was passed to the driver or recorded.
  void advance(const SeenLaunch& launch) KJOULE_REQUIRES(mutex_);
  void start(DriverCallbacks::Extent extent);
  void on_launch_done(uint32_t watch, bool succeeded);
  /// Handles the end of a call in which the host may have waited for the device.
  void on_wait(CUpti_CallbackId id, const CUpti_CallbackData& call);
  void end_if_complete();
  void on_event(DriverCallKind kind, CUpti_CallbackId id, const CUpti_CallbackData& data)
      KJOULE_REQUIRES(mutex_);
  /// Ends all callbacks, unless a graph is being captured. Also removes CUPTI from the process if the program
  /// has no graphs.
  void detach() KJOULE_EXCLUDES(mutex_);
  void wait_while_paused(MutexLock& lock) KJOULE_REQUIRES(mutex_);
  /// Returns whether a launch in this context, which is current, is on the GPU of this monitor. Reports the
  /// first one that is not on stderr if nobody chose the GPU.
  bool is_of_this_gpu(CUcontext context) KJOULE_REQUIRES(mutex_);
  using Seconds = std::chrono::duration<double>;
  /// Waits for `limit`, or until `is_over` returns true. `silence` is the time for which the program had made
  /// no launch before this call; the result is this time after the call.
  Seconds wait_watching(MutexLock& lock, Seconds limit, Seconds silence, const std::function<bool()>& is_over)
      KJOULE_REQUIRES(mutex_);
  void set_phase(Phase phase) KJOULE_REQUIRES(mutex_);
  /// The program's state, for those of its functions that are called without the lock.
  ProgramState& state_without_lock() KJOULE_UNCHECKED_LOCKS { return state_; }

  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::atomic<Phase> phase_ = Phase::searching;  ///< changes only under the lock
  CUcontext context_ KJOULE_GUARDED_BY(mutex_) = nullptr;
  /// Whether the thread of the recording's first launch is still paused, so that the others must wait.
  bool first_launch_paused_ KJOULE_GUARDED_BY(mutex_) = false;
  CUcontext allocating_context_ KJOULE_GUARDED_BY(mutex_) = nullptr;
  /// Number of the current watch(). A launch that an earlier watch let pass may still be in the driver.
  std::atomic<uint32_t> watch_ = 1;
  std::atomic<int> in_flight_ = 0;  ///< launches of this watch that have not returned from the driver
  /// Null until CUDA starts, although the program may use ranges before.
  std::unique_ptr<Session> session_ KJOULE_GUARDED_BY(mutex_);
  ProgramState state_ KJOULE_GUARDED_BY(mutex_);
  RankPosition* position_;  ///< null if the program is measured in one process
  BusiestStream streams_ KJOULE_GUARDED_BY(mutex_);
  KeptIteration iteration_ KJOULE_GUARDED_BY(mutex_);
  bool is_stopped_ KJOULE_GUARDED_BY(mutex_) = false;
  /// Whether a thread is paused at the launch that ended the recording.
  bool waits_at_launch_ KJOULE_GUARDED_BY(mutex_) = false;
  /// Whether the launch that ended the recording is passed to the session again.
  bool takes_launch_again_ KJOULE_GUARDED_BY(mutex_) = false;
  bool stands_by_ = false;  ///< whether the program stays subscribed when it is released
  bool detached_ KJOULE_GUARDED_BY(mutex_) = false;
  HeldFrees held_frees_ KJOULE_GUARDED_BY(mutex_);
  /// The last call that cannot be replayed since the program's last launch; null if there is none.
  const char* refused_since_launch_ KJOULE_GUARDED_BY(mutex_) = nullptr;
  std::atomic<uint64_t> calls_seen_ = 0;  ///< number of calls that began or ended while recording
  /// The last call that began or ended.
  const char* last_call_ KJOULE_GUARDED_BY(mutex_) = "it began";
  std::atomic<bool> is_in_call_ = false;  ///< whether the last call has not ended
  ProgramGpus* gpus_ = nullptr;           ///< null if only one GPU of the process can be measured
  /// Whether a launch on another GPU is reported.
  bool tells_of_other_gpus_ KJOULE_GUARDED_BY(mutex_) = false;
  /// The session of a further GPU; null for the first one.
  AccompanyingSession* accompanying_ KJOULE_GUARDED_BY(mutex_) = nullptr;
  std::atomic<int64_t> last_launch_ns_ = 0;  ///< of a further GPU
  /// Whether several GPUs of this process record the iteration.
  bool is_in_step_ KJOULE_GUARDED_BY(mutex_) = false;
  /// Whether the recording began at a launch, which is paused until the recording starts.
  bool begins_at_launch_ KJOULE_GUARDED_BY(mutex_) = true;
  /// The number of collectives after which a further GPU begins to record.
  std::optional<uint64_t> begins_after_ KJOULE_GUARDED_BY(mutex_);
  /// The events that the recorded iteration records, and for which it waits in streams.
  std::set<CUevent> events_recorded_ KJOULE_GUARDED_BY(mutex_), events_awaited_ KJOULE_GUARDED_BY(mutex_);
  std::shared_ptr<Cupti> cupti_;
  std::shared_ptr<SharedCallbacks> callbacks_;
  std::atomic<RunObserver*> observer_ = nullptr;  ///< null if the run is not logged
};

}  // namespace kjoule::cuda
