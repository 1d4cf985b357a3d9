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

/// Stands between the program's threads, whose driver calls come by, and the worker thread, which records and
/// plays while the program stands still.
class Watch {
 public:
  /// `gpu`: what happens on other GPUs of the process is not looked at.
  Watch(std::unique_ptr<inject::Session> session, std::optional<int> gpu)
      : session_(std::move(session)), gpu_(gpu) {}
  /// Throws Error when CUPTI cannot be used.
  void subscribe();

  /// For the thread that plays: its own driver calls pass unseen from now on.
  static void exempt_this_thread();
  /// Blocks until the program first launches something; its context.
  CUcontext wait_for_context();
  /// Blocks until the program comes to an iteration's first launch; it stands still from then on.
  void wait_for_begin();
  /// Lets it make one iteration. Blocks until it stands still after it; false when it went otherwise than the
  /// ones before. Throws Error when a launch of it cannot be kept.
  bool record_iteration();
  /// Throws the Error that says why the iteration recorded cannot be replayed, if so.
  void refuse_replay() const;
  /// Whatever else the program's threads want of the driver has to wait too from now on.
  void hold_everything();
  /// Lets the program go on, unwatched.
  void release();
  /// Of the program's NVTX ranges; the thread stands still in the end of one that completes a recording.
  void range_begins(std::string_view name);
  void range_ends(std::string_view name);

  /// While the program stands still:
  const std::vector<Call>& calls() const { return calls_; }
  const inject::Ranges& ranges() const { return ranges_; }
  /// The iterations that the program made before, host times.
  std::vector<inject::IterationSpan> passed() const { return session_->passed(); }
  /// The stream to play in, see inject::BusiestStream.
  CUstream busiest_stream();
  const Cupti& cupti() const { return *cupti_; }
  /// Whether the program has launched something and its iteration is still being looked for or recorded.
  bool is_under_way();
  /// Whether its iteration has been recorded, or is not looked for any more.
  bool is_recorded();
  /// What to say of a program that ends before its iteration was recorded.
  std::string unfinished();

 private:
  enum class Phase { watching, begin, recording, abandoned, end, released };
  static void CUPTIAPI on_callback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void* data);
  /// Whether it is a launch, which is in flight then.
  bool on_enter(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_exit(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_launch(std::unique_lock<std::mutex>& lock, CUpti_CallbackId id, const CUpti_CallbackData& data);
  void watch_events(bool on);
  void on_allocation(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void launch_is_done();
  void on_event(Interest interest, CUpti_CallbackId id, const CUpti_CallbackData& data);
  void record(const LaunchView& view);
  void add(Call call, CUstream stream, std::vector<uint32_t> after);
  /// Nobody looks any more: takes CUPTI out, but never while a graph is being captured.
  void detach();
  void stand_still(std::unique_lock<std::mutex>& lock);
  void refuse(const std::string& what, const char* remedy);
  void change(Phase phase);
  bool ours(CUcontext context);
  bool capturing(CUstream stream) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<Phase> phase_ = Phase::watching;  ///< changes under the lock only
  CUcontext context_ = nullptr;
  int captures_ = 0;          ///< under way
  bool first_waits_ = false;  ///< the recording's first launch has not gone on yet, though others may have
  std::atomic<int> in_flight_ = 0;  ///< launches that were let pass and have not come back from the driver
  std::unique_ptr<inject::Session> session_;
  std::optional<int> gpu_;
  std::unordered_map<CUcontext, bool> is_ours_;  ///< by context, where gpu_ says which
  inject::Ranges ranges_;
  Functions functions_;
  Graphs graphs_;
  inject::BusiestStream streams_;
  std::vector<Call> calls_;
  inject::Dependencies dependencies_;  ///< among calls_
  bool detached_ = false;
  bool managed_ = false;                   ///< the program has managed memory
  std::optional<Error> refused_;           ///< why the iteration cannot be replayed
  std::optional<std::string> incomplete_;  ///< why it could not even be kept
  std::unique_ptr<Cupti> cupti_;
};

}  // namespace kjoule::driver
