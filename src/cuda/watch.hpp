#pragma once
#include <cupti.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "cuda/busiest_stream.hpp"
#include "cuda/cupti.hpp"
#include "cuda/dependencies.hpp"
#include "cuda/graphs.hpp"
#include "cuda/ranges.hpp"
#include "cuda/session.hpp"

namespace kjoule::driver {

/// Connects the program's threads, whose driver calls arrive as callbacks, with the worker thread, which
/// records and replays while the program is paused.
class Watch {
 public:
  /// `gpu` is the device number to watch. Work on other GPUs of the process is ignored. Without a number, all
  /// GPUs are watched.
  Watch(std::unique_ptr<inject::Session> session, std::optional<int> gpu)
      : session_(std::move(session)), gpu_(gpu) {}
  /// Starts to receive callbacks. Throws Error when CUPTI cannot be used.
  void subscribe();

  /// Excludes the calling thread: its driver calls are ignored from now on. The thread that replays must call
  /// it.
  static void exempt_this_thread();
  /// Blocks until the program launches its first operation, and returns the context of that launch.
  CUcontext wait_for_context();
  /// Blocks until the program reaches the first launch of the iteration. The program is paused from then on.
  void wait_for_begin();
  /// Lets the program run one iteration and blocks until it is paused after it. Returns false when the
  /// iteration differed from the previous ones. Throws Error when a launch of it cannot be kept.
  bool record_iteration();
  /// Throws the Error that explains why the recorded iteration cannot be replayed. Returns if it can be
  /// replayed.
  void refuse_replay() const;
  /// Pauses the program's threads at every driver call from now on, not only at launches.
  void hold_everything();
  /// Lets the program continue, and stops watching it.
  void release();
  /// Handle the program's NVTX ranges. If the end of a range completes the recording, range_ends() pauses the
  /// calling thread.
  void range_begins(std::string_view name);
  void range_ends(std::string_view name);

  /// Valid only while the program is paused.
  const std::vector<Call>& calls() const { return calls_; }
  const inject::Ranges& ranges() const { return ranges_; }
  /// Returns the host times of the iterations that the program ran before the recorded one.
  std::vector<inject::IterationSpan> passed() const { return session_->passed(); }
  /// Returns the stream in which to replay (see inject::BusiestStream).
  CUstream busiest_stream();
  const Cupti& cupti() const { return *cupti_; }
  /// Returns whether the program has launched an operation and its iteration has not been recorded yet.
  bool is_under_way();
  /// Returns whether the iteration has been recorded, or watching has ended.
  bool is_recorded();
  /// Returns the message for a program that ends before its iteration is recorded.
  std::string unfinished();

 private:
  enum class Phase { watching, begin, recording, abandoned, end, released };
  static void CUPTIAPI on_callback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void* data);
  /// Handles the start of a driver call. Returns true for a launch, which is in flight then.
  bool on_enter(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_exit(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_launch(std::unique_lock<std::mutex>& lock, CUpti_CallbackId id, const CUpti_CallbackData& data);
  void watch_events(bool on);
  void on_allocation(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void launch_is_done();
  void on_event(Interest interest, CUpti_CallbackId id, const CUpti_CallbackData& data);
  void record(const LaunchView& view);
  void add(Call call, CUstream stream, std::vector<uint32_t> after);
  /// Removes CUPTI from the process, unless a graph is being captured.
  void detach();
  void stand_still(std::unique_lock<std::mutex>& lock);
  void refuse(const std::string& what, const char* remedy);
  void change(Phase phase);
  bool ours(CUcontext context);
  bool capturing(CUstream stream) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<Phase> phase_ = Phase::watching;  ///< changes only under the lock
  CUcontext context_ = nullptr;
  int captures_ = 0;  ///< stream captures in progress
  /// Whether the recording's first launch is still paused, while other threads may continue.
  bool first_waits_ = false;
  std::atomic<int> in_flight_ = 0;  ///< launches that were let pass and have not returned from the driver
  std::unique_ptr<inject::Session> session_;
  std::optional<int> gpu_;
  std::unordered_map<CUcontext, bool> is_ours_;  ///< cache of ours(); used only if gpu_ is set
  inject::Ranges ranges_;
  Functions functions_;
  Graphs graphs_;
  inject::BusiestStream streams_;
  std::vector<Call> calls_;
  inject::Dependencies dependencies_;  ///< dependencies among calls_
  bool detached_ = false;
  bool managed_ = false;                   ///< whether the program has allocated managed memory
  std::optional<Error> refused_;           ///< why the iteration cannot be replayed
  std::optional<std::string> incomplete_;  ///< why the iteration cannot even be kept
  std::unique_ptr<Cupti> cupti_;
};

}  // namespace kjoule::driver
