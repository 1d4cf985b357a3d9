// What ProgramMonitor does outside of the program's driver calls. program_monitor_callbacks.cpp has what it
// does within them.

#include "cuda/watch/program_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"
#include "cuda/driver/host_time.hpp"
#include "cuda/driver/thread_state.hpp"
#include "cuda/session/following_session.hpp"
#include "cuda/session/idle_session.hpp"
#include "cuda/watch/program_gpus.hpp"
#include "cuda/watch/run_observer.hpp"

namespace kjoule::cuda {

namespace {

/// Longest time without a driver call of the program while its iteration is recorded.
constexpr std::chrono::seconds kLongestSilence{20};
constexpr std::chrono::seconds kLook{1};  ///< pause between two checks for a call

}  // namespace

void ProgramMonitor::start(DriverCallbacks::Extent extent) {
  cupti_ = std::make_shared<Cupti>(&ProgramMonitor::on_callback, this);
  callbacks_ = std::make_shared<SharedCallbacks>(*cupti_);
  callbacks_->set(this, extent);
  cupti_->enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, true);
}

void ProgramMonitor::subscribe(std::unique_ptr<Session> session) {
  {
    const MutexLock lock(mutex_);
    session_ = std::move(session);
  }
  start(DriverCallbacks::Extent::work);
}

void ProgramMonitor::join(ProgramMonitor& first, std::unique_ptr<AccompanyingSession> session) {
  gpus_ = first.gpus_;
  cupti_ = first.cupti_;
  callbacks_ = first.callbacks_;
  const MutexLock lock(mutex_);
  accompanying_ = session.get();
  session_ = std::move(session);
}

void ProgramMonitor::stand_by() {
  stands_by_ = true;
  phase_ = Phase::released;
  start(DriverCallbacks::Extent::state);
}

void ProgramMonitor::watch(std::unique_ptr<Session> session, RankPosition* position) {
  {
    const MutexLock lock(mutex_);
    position_ = position;
    session_.swap(session);
    ++watch_;
    in_flight_ = 0;
    context_ = nullptr;
    streams_ = {};
    is_stopped_ = false;
    set_phase(Phase::searching);
  }
  callbacks_->set(this, DriverCallbacks::Extent::work);
}

void ProgramMonitor::observe_with(RunObserver& observer) {
  observer_ = &observer;
  observer.start(*cupti_);
}

void ProgramMonitor::exempt_this_thread() {
  thread_state.exempt = true;
}

CUcontext ProgramMonitor::wait_for_context() {
  MutexLock lock(mutex_);
  changed_.wait(lock.to_wait(),
                [&]() KJOULE_REQUIRES(mutex_) { return context_ != nullptr || phase_ == Phase::released; });
  if (context_ == nullptr)
    throw Error("kjoule stopped observing the program before it launched its first work on the GPU");
  return context_;
}

ProgramMonitor::Held ProgramMonitor::held() {
  const MutexLock lock(mutex_);
  Held held{allocating_context_, 0, 0, state_.arrays()};
  for (const Allocation& allocation : state_.allocations().all()) {
    if (allocation.kind != MemoryKind::host) held.device_bytes += allocation.bytes;
    if (allocation.kind == MemoryKind::managed) held.managed_bytes += allocation.bytes;
  }
  return held;
}

std::vector<Allocation> ProgramMonitor::memory() {
  MutexLock lock(mutex_);
  ProgramState::Changeable changeable = state_.changeable();
  lock.unlock();  // variables are looked up by driver calls, whose callbacks wait for the lock
  return state_without_lock().memory(std::move(changeable));
}

void ProgramMonitor::wait_for_begin() {
  {
    MutexLock lock(mutex_);
    changed_.wait(lock.to_wait(),
                  [&] { return phase_ == Phase::released || (phase_ == Phase::begin && in_flight_ == 0); });
    if (phase_ == Phase::released) throw Error("kjoule stopped observing the program before its iteration");
  }
  // Ends the run's activity records: the recorded iteration has its own, and replays must not be slowed down.
  if (RunObserver* observer = observer_) observer->want_records(false);
}

bool ProgramMonitor::wait_for_begin(double patience_s, double idle_s, const std::function<bool()>& waits_on) {
  constexpr std::chrono::seconds kFound{10};  // a loop is recorded only some iterations after it was found
  std::unique_ptr<Session> ended;             // destroyed after unlocking, because its search may be running
  {
    MutexLock lock(mutex_);
    const auto is_over = [&] { return phase_ == Phase::released || phase_ == Phase::begin; };
    Seconds silence(0);
    for (Seconds patience(patience_s), idle(idle_s); patience > Seconds(0) && !is_over();) {
      const Seconds step = std::min(Seconds(kLook), patience);
      silence = wait_watching(lock, step, silence, is_over);
      Seconds& left = silence > Seconds(0) && idle > Seconds(0) ? idle : patience;
      left -= step;
    }
    if (!is_over() && session_->has_found()) silence = wait_watching(lock, kFound, silence, is_over);
    while (!is_over() && waits_on && waits_on()) {
      silence = wait_watching(lock, kLook, silence, is_over);
      // Before its first collective, a rank may be waiting for another reason than the other ranks.
      if (silence > kLongestSilence && position_ != nullptr && position_->place().collectives > 0) {
        set_phase(Phase::released);
        throw Error(
            fmt::format(
                "the program has launched nothing for {} s: a rank may have ended, or wait for another",
                kLongestSilence.count()),
            "check that the program runs without kjoule");
      }
    }
    if (!is_over()) {
      ended = std::exchange(session_, std::make_unique<IdleSession>(session_->launches()));
      return false;
    }
  }
  wait_for_begin();
  return true;
}

ProgramMonitor::Seconds ProgramMonitor::wait_watching(MutexLock& lock, Seconds limit, Seconds silence,
                                                      const std::function<bool()>& is_over) {
  for (Seconds waited(0); waited < limit;) {
    const Seconds step = std::min(Seconds(kLook), limit - waited);
    const uint64_t before = session_->launches();
    if (changed_.wait_for(lock.to_wait(), step, is_over)) break;
    waited += step;
    silence = before == session_->launches() ? silence + step : Seconds(0);
  }
  return silence;
}

bool ProgramMonitor::look_for(const std::function<std::unique_ptr<Session>(uint64_t)>& make,
                              double patience_s) {
  {
    const MutexLock lock(mutex_);
    if (phase_ == Phase::released) throw Error("kjoule stopped observing the program before its window");
    session_ = make(session_->launches());
    // If the last session began at a launch that nobody waited for, this launch passes: the new session has
    // not seen it.
    if (phase_ == Phase::begin) set_phase(Phase::searching);
  }
  return wait_for_begin(patience_s);
}

bool ProgramMonitor::record_iteration() {
  callbacks_->set(this, DriverCallbacks::Extent::events);
  {
    MutexLock lock(mutex_);
    first_launch_paused_ = begins_at_launch_;
    set_phase(Phase::recording);
    const auto is_over = [&] {
      return (phase_ == Phase::end && in_flight_ == 0) || phase_ == Phase::abandoned;
    };
    uint64_t seen = calls_seen_;
    for (auto silence = kLook; !changed_.wait_for(lock.to_wait(), kLook, is_over); silence += kLook) {
      if (std::exchange(seen, calls_seen_) != seen) silence = {};
      if (silence >= kLook && session_->may_end()) set_phase(Phase::end);
      if (silence >= kLongestSilence) give_up();
    }
  }
  callbacks_->set(this, DriverCallbacks::Extent::work);
  if (phase_ == Phase::abandoned) {
    free_held();
    if (RunObserver* observer = observer_) observer->want_records(true);
    const MutexLock lock(mutex_);
    search_if_wanted();
    return false;
  }
  const MutexLock lock(mutex_);
  iteration_.remove_failed(session_->edges().is_closed());
  iteration_.mark_shared(state_.shared());  // last, because a collective is a more specific reason
  if (!held_frees_.are_kept())
    iteration_.mark_not_replayable(
        "frees device memory, and the installed GPU driver does not let kjoule delay this",
        "record a later iteration with --skip-iterations N, or with --range NAME a part without such calls");
  iteration_.throw_if_incomplete();
  return true;
}

void ProgramMonitor::give_up() {
  const std::vector<Call>& calls = iteration_.calls();
  const std::string launches = calls.empty() ? ""
                                             : fmt::format("; the last recorded launch is number {} ({})",
                                                           calls.size(), readable_name(calls.back()));
  set_phase(Phase::released);
  throw Error(
      fmt::format("the iteration did not end: for {} s the program {} {}{}", kLongestSilence.count(),
                  is_in_call_ ? "did not return from the call of" : "made no call of the CUDA driver after",
                  last_call_, launches),
      "choose a part in which the program does not wait for other programs with --range NAME");
}

void ProgramMonitor::follow() {
  const MutexLock lock(mutex_);
  if (accompanying_ != nullptr) return;  // it follows the first GPU of its process
  if (phase_ != Phase::searching) throw Error("the process has recorded its own iteration", kBugRemedy);
  session_ = std::make_unique<FollowingSession>(*position_, std::move(session_));
  position_->board().follow(position_->rank());
}

bool ProgramMonitor::is_shared() {
  const MutexLock lock(mutex_);
  return session_->is_shared() || is_in_step_;
}

bool ProgramMonitor::search_again() {
  {
    const MutexLock lock(mutex_);
    if (!session_->search_again()) return false;
  }
  free_held();
  search();
  return true;
}

bool ProgramMonitor::can_record_next() {
  const MutexLock lock(mutex_);
  return session_->can_record_next();
}

void ProgramMonitor::record_next() {
  {
    const MutexLock lock(mutex_);
    session_->record_next();
    takes_launch_again_ = waits_at_launch_;
  }
  free_held();
  search();
}

void ProgramMonitor::search() {
  callbacks_->set(this, DriverCallbacks::Extent::work);  // ends pause_at_every_call()
  if (RunObserver* observer = observer_) observer->want_records(true);
  const MutexLock lock(mutex_);
  search_if_wanted();
}

void ProgramMonitor::search_if_wanted() {
  set_phase(is_stopped_ ? Phase::released : Phase::searching);
}

void ProgramMonitor::go_on() {
  free_held();
  {
    const MutexLock lock(mutex_);
    if (!session_->go_on()) session_ = std::make_unique<IdleSession>(session_->launches());
  }
  search();
}

void ProgramMonitor::pause_at_every_call() {
  callbacks_->set(this, DriverCallbacks::Extent::all);
}

void ProgramMonitor::release() {
  free_held();
  {
    const MutexLock lock(mutex_);
    set_phase(Phase::released);
  }
  if (stands_by_) callbacks_->set(this, DriverCallbacks::Extent::state);
}

void ProgramMonitor::run_on() {
  free_held();
  {
    const MutexLock lock(mutex_);
    session_ = std::make_unique<IdleSession>(session_->launches());
  }
  search();
}

void ProgramMonitor::end_with_program() {
  MutexLock lock(mutex_);
  if (phase_ != Phase::recording || !session_->may_end()) return;
  set_phase(Phase::end);
  wait_while_paused(lock);
}

void ProgramMonitor::stop_searching() {
  const MutexLock lock(mutex_);
  is_stopped_ = true;
  if (phase_ == Phase::searching) set_phase(Phase::released);
}

void ProgramMonitor::detach() {
  bool has_graphs = false;
  {
    const MutexLock lock(mutex_);
    if (state_.captures().any() || std::exchange(detached_, true)) return;
    has_graphs = state_.graphs().any();
  }
  // If a graph was launched while activity records were on, a later launch of it fails after CUPTI is removed
  // (tests/gpu/facts finalizing).
  if (has_graphs)
    cupti_->enable_all(CUPTI_CB_DOMAIN_DRIVER_API, false);
  else
    cupti_->detach();  // without the lock: detach() may wait for callbacks, which may wait for the lock
}

CUstream ProgramMonitor::busiest_stream() {
  const MutexLock lock(mutex_);
  auto* stream = static_cast<CUstream>(const_cast<void*>(streams_.get()));
  // These two handles mean the default stream and the calling thread's own default stream.
  return stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD ? nullptr : stream;
}

bool ProgramMonitor::is_recording() {
  const MutexLock lock(mutex_);
  return context_ != nullptr && phase_ != Phase::end && phase_ != Phase::released;
}

bool ProgramMonitor::is_recorded() {
  const MutexLock lock(mutex_);
  return phase_ == Phase::end || phase_ == Phase::released;
}

std::string ProgramMonitor::describe_progress() {
  const MutexLock lock(mutex_);
  return std::to_string(session_->launches()) + " launches seen; " + session_->best_guess();
}

void ProgramMonitor::begin_range(std::string_view name) {
  MutexLock lock(mutex_);
  // A range does not state its GPU, and another GPU must reach its own iteration.
  if (gpus_ == nullptr || !gpus_->are_several()) wait_while_paused(lock);
  if (session_ != nullptr && phase_ != Phase::released) session_->begin_range(name, now_ns());
}

void ProgramMonitor::end_range(std::string_view name) {
  MutexLock lock(mutex_);
  if (gpus_ == nullptr || !gpus_->are_several()) wait_while_paused(lock);
  if (session_ == nullptr || phase_ == Phase::released || !session_->end_range(name, now_ns())) return;
  set_phase(Phase::end);
  wait_while_paused(lock);
}

void ProgramMonitor::set_phase(Phase phase) {
  phase_ = phase;
  changed_.notify_all();
}

std::optional<int> ProgramMonitor::gpu_if_several() {
  return gpus_ != nullptr && gpus_->are_several() ? std::optional(gpus_->number_of(*this)) : std::nullopt;
}

void ProgramMonitor::mark_dependence() {
  {
    const MutexLock lock(mutex_);
    if (!is_in_step_) return;
  }
  const auto dependence = gpus_->dependence_of(*this);
  const MutexLock lock(mutex_);
  if (dependence)
    iteration_.mark_not_replayable(
        *dependence,
        "let the GPUs exchange data by collectives of NCCL, or measure one GPU at a "
        "time with --gpu N");
}

void ProgramMonitor::measure_only(int gpu) {
  const MutexLock lock(mutex_);
  tells_of_other_gpus_ = gpus_ == nullptr && !state_.gpu();
  state_.measure_only(gpu);
}

void ProgramMonitor::exchange_gpus(ProgramMonitor& other) {
  const MutexLock lock(mutex_);
  const MutexLock lock_of_other(other.mutex_);
  state_.exchange_gpus(other.state_);
}

bool ProgramMonitor::has_launched() const {
  const MutexLock lock(mutex_);
  return context_ != nullptr;
}

bool ProgramMonitor::may_begin_with(const RankPlace& place, uint64_t collectives) {
  const MutexLock lock(mutex_);
  return phase_ == Phase::searching && accompanying_->has_loop() &&
         accompanying_->collectives() == collectives && position_->place().collectives <= place.collectives;
}

void ProgramMonitor::begin_with(const RankPlace& place) {
  const MutexLock lock(mutex_);
  begins_after_ = place.collectives;
  if (position_->place().collectives == place.collectives) begin_here();
}

void ProgramMonitor::end_if_recorded() {
  const MutexLock lock(mutex_);
  if (phase_ == Phase::recording && accompanying_->has_all()) set_phase(Phase::end);
}

void ProgramMonitor::announce(const SharedCut& cut, const std::vector<uint32_t>& members) {
  position_->board().announce_for(cut, position_->rank(), members);
}

Allocations ProgramMonitor::allocations() const {
  const MutexLock lock(mutex_);
  return state_.allocations();
}

bool ProgramMonitor::waits_for_event_of(const ProgramMonitor& other) const {
  for (CUevent event : events_awaited_)
    if (other.events_recorded_.contains(event)) return true;
  return false;
}

}  // namespace kjoule::cuda
