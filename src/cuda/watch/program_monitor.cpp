#include "cuda/watch/program_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <variant>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"
#include "cuda/driver/forked_copy.hpp"
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

/// Runs `action` while the lock is unlocked. The check of locks cannot follow a lock of the caller's caller.
template <typename Action>
void without(MutexLock& lock, const Action& action) KJOULE_UNCHECKED_LOCKS {
  lock.unlock();
  action();
  lock.lock();
}

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
      (silence > Seconds(0) && idle > Seconds(0) ? idle : patience) -= step;
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

void CUPTIAPI ProgramMonitor::on_callback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                          const void* data) {
  if (is_forked_copy) return;
  ThreadState& thread = thread_state;
  auto& monitor = *static_cast<ProgramMonitor*>(self);
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) return monitor.on_resource(id, data);  // also in kjoule's own calls
  if (thread.exempt || domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  thread.exempt = true;  // driver calls within this callback must not cause callbacks
  if (monitor.gpus_ == nullptr || !monitor.gpus_->pass(id, call)) monitor.handle(id, call);
  if (call.callbackSite == CUPTI_API_EXIT && monitor.phase_ == Phase::released && !monitor.stands_by_ &&
      (monitor.gpus_ == nullptr || monitor.gpus_->are_released()))
    monitor.detach();
  thread.exempt = false;
}

void ProgramMonitor::handle(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  ThreadState& thread = thread_state;
  if (call.callbackSite == CUPTI_API_EXIT && (waits_for_device(id) || phase_ == Phase::recording))
    on_wait(id, call);
  if (RunObserver* observer = observer_;
      observer != nullptr && call.callbackSite == CUPTI_API_EXIT && has_succeeded(call))
    observer->on_success(id, call);
  if (call.callbackSite == CUPTI_API_ENTER) {
    thread.first_kept = thread.end_kept = 0;
    thread.launching_for = enter(id, call) ? watch_.load() : 0;
  } else if (const uint32_t watch = std::exchange(thread.launching_for, 0); watch != 0)
    on_launch_done(watch, has_succeeded(call));
  else
    on_exit(id, call);
}

void ProgramMonitor::note(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  RunObserver* observer = observer_;
  if (call.callbackSite == CUPTI_API_EXIT) {
    if (!has_succeeded(call)) return;
    if (observer != nullptr) observer->on_success(id, call);
    const MutexLock lock(mutex_);
    return state_.on_success(id, call);
  }
  if (driver_call_kind(id) == DriverCallKind::launch && observer == nullptr) return;
  MutexLock lock(mutex_);
  if (phase_ == Phase::recording) hold_free(lock, id, call);
  const ProgramState::Effect effect = state_.on_enter(id, call);
  if (observer != nullptr) observer->on_enter(call, effect, state_);
  if (phase_ == Phase::recording) on_free(effect.freed);
}

void ProgramMonitor::on_resource(CUpti_CallbackId id, const void* data) {
  if (id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
  const auto& resource = *static_cast<const CUpti_ResourceData*>(data);
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
  if (module == nullptr || module->pCubin == nullptr) return;
  add_module(module->pCubin, module->cubinSize);
  if (gpus_ != nullptr) gpus_->add_module(module->pCubin, module->cubinSize);
}

void ProgramMonitor::wait_while_paused(MutexLock& lock) {
  changed_.wait(lock.to_wait(), [&]() KJOULE_REQUIRES(mutex_) {
    return phase_ != Phase::begin && phase_ != Phase::end && phase_ != Phase::abandoned &&
           !takes_launch_again_ && !(phase_ == Phase::recording && first_launch_paused_);
  });
}

bool ProgramMonitor::is_of_this_gpu(CUcontext context) {
  if (state_.is_on_measured_gpu(context)) return true;
  if (std::exchange(tells_of_other_gpus_, false))
    std::fprintf(stderr,
                 "kjoule: the program works on several GPUs, of which only its GPU %d is recorded; --gpu N "
                 "records another one\n",
                 *state_.gpu());
  return false;
}

bool ProgramMonitor::enter(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  MutexLock lock(mutex_);
  const bool is_launch = on_enter(lock, id, data);
  std::vector<StreamCall> before = iteration_.take_stream_calls();
  lock.unlock();
  // If this fails for a copy, the contents that its source had at the time of the call are kept.
  for (StreamCall& one : before) put_into_stream(std::move(one));
  return is_launch;
}

bool ProgramMonitor::on_enter(MutexLock& lock, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  // Queries are not paused: threads that check collectives for errors end the program if a query takes too
  // long.
  if (!is_query(id)) wait_while_paused(lock);
  if (phase_ == Phase::recording) {
    note_call(data, true);
    hold_free(lock, id, data);
  }
  const ProgramState::Effect effect = state_.on_enter(id, data);
  if (RunObserver* observer = observer_) observer->on_enter(data, effect, state_);
  const DriverCallKind kind = driver_call_kind(id);
  if (effect.destroyed != nullptr) {
    streams_ = {};  // those of other contexts are counted again
    if (allocating_context_ == effect.destroyed) allocating_context_ = nullptr;
  }
  if (kind == DriverCallKind::allocate && state_.is_on_measured_gpu(data.context))
    allocating_context_ = data.context;
  if (phase_ == Phase::released) return false;
  if (phase_ == Phase::recording) on_free(effect.freed);
  switch (kind) {
    case DriverCallKind::launch:
      if (effect.launch && is_of_this_gpu(data.context)) on_launch(lock, *effect.launch, data.context);
      refused_since_launch_ = nullptr;
      ++in_flight_;
      return true;
    case DriverCallKind::not_replayable:
    case DriverCallKind::unknown:
    case DriverCallKind::destroy_context:
      refused_since_launch_ = data.functionName;
      [[fallthrough]];
    case DriverCallKind::share:
    case DriverCallKind::unload:
      if (phase_ == Phase::recording) iteration_.mark_calls(data.functionName);
      break;
    case DriverCallKind::host_function:
      if (const CUstream stream = read_host_function(id, data.functionParams);
          phase_ == Phase::recording && data.context == context_ && !state_.captures().contains(stream))
        iteration_.begin_host_function(stream);
      break;
    case DriverCallKind::destroy_stream:
      streams_.remove(static_cast<const cuStreamDestroy_v2_params*>(data.functionParams)->hStream);
      break;
    case DriverCallKind::record_event:
    case DriverCallKind::wait_for_event:
      on_event(kind, id, data);
      break;
    default:
      break;
  }
  return false;
}

void ProgramMonitor::on_exit(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  MutexLock lock(mutex_);
  if (phase_ == Phase::recording) note_call(data, false);
  if (has_succeeded(data) || retry(lock, id, data)) state_.on_success(id, data);
  if (phase_ != Phase::recording || driver_call_kind(id) != DriverCallKind::host_function) return;
  std::optional<StreamCall> after = iteration_.end_host_function();
  lock.unlock();
  if (after) put_into_stream(*std::move(after));  // otherwise the host function is counted, but not timed
}

void ProgramMonitor::note_call(const CUpti_CallbackData& data, bool begins) {
  ++calls_seen_;
  last_call_ = data.functionName;
  is_in_call_ = begins;
}

void ProgramMonitor::hold_free(MutexLock& lock, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (driver_call_kind(id) != DriverCallKind::release || state_.is_captured(id, data)) return;
  if (HeldFrees::waits_for_device(id, data, state_.allocations())) {
    without(lock, [] { cuCtxSynchronize(); });
    // If another thread has ended the recording meanwhile, this memory is of the recorded iteration.
    if (phase_ != Phase::recording && phase_ != Phase::end) return;
  }
  held_frees_.hold(id, data, state_.allocations());
}

std::vector<Allocation> ProgramMonitor::take_held() {
  std::vector<Allocation> held = held_frees_.take();
  for (const Allocation& allocation : held) state_.remove(allocation);
  return held;
}

void ProgramMonitor::free_held() {
  std::vector<Allocation> held;
  {
    const MutexLock lock(mutex_);
    held = take_held();
  }
  free_memory(held);
}

bool ProgramMonitor::retry(MutexLock& lock, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (driver_call_kind(id) != DriverCallKind::allocate || held_frees_.empty()) return false;
  iteration_.mark_not_replayable(
      "frees device memory that kjoule must keep for the replay, and the remaining GPU memory does not "
      "suffice for what the program allocates next",
      "run a smaller batch or use a GPU with more memory");
  const std::vector<Allocation> held = take_held();
  auto& result = *static_cast<CUresult*>(data.functionReturnValue);
  CUresult again = CUDA_SUCCESS;
  without(lock, [&] {
    free_memory(held);
    again = repeat_allocation(id, data.functionParams);
  });
  if (again != CUDA_ERROR_NOT_SUPPORTED) result = again;
  return result == CUDA_SUCCESS;
}

void ProgramMonitor::on_wait(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  const MutexLock lock(mutex_);
  if (phase_ != Phase::released && waits_for_device(id)) session_->wait_for_device();
  if (phase_ == Phase::recording && call.context == context_ && has_succeeded(call))
    iteration_.add_host_wait(id, call.functionParams);
}

/// Counts a completed launch. The function is called for every launch, so it locks only if a thread may be
/// waiting.
void ProgramMonitor::on_launch_done(uint32_t watch, bool succeeded) {
  if (watch != watch_) return;
  if (!succeeded) {
    const MutexLock lock(mutex_);
    iteration_.add_failure();
  }
  if (phase_ == Phase::recording) {
    ++calls_seen_;
    is_in_call_ = false;
  }
  const bool last = --in_flight_ == 0;
  if (phase_ == Phase::recording) end_if_complete();
  if (!last) return;
  const Phase phase = phase_;
  if (phase != Phase::begin && phase != Phase::end) return;
  const MutexLock lock(mutex_);
  changed_.notify_all();
}

/// Ends the recording after the launch that is known to be its last one, and pauses this thread.
void ProgramMonitor::end_if_complete() {
  MutexLock lock(mutex_);
  if (phase_ != Phase::recording || !session_->is_complete()) return;
  set_phase(Phase::end);
  wait_while_paused(lock);
}

void ProgramMonitor::on_free(const std::vector<Allocation>& freed) {
  for (const Allocation& allocation : freed)
    iteration_.mark_not_replayable(
        allocation.kind == MemoryKind::host ? "frees pinned host memory that its kernels use"
                                            : "unmaps device memory (cuMemUnmap)",
        "record a later iteration with --skip-iterations N, or another part with --range NAME");
}

void ProgramMonitor::on_event(DriverCallKind kind, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const bool recording = phase_ == Phase::begin || phase_ == Phase::recording;
  const auto [event, stream] = read_event(id, data.functionParams);
  if (!recording || state_.captures().contains(stream)) return;
  iteration_.add_event(kind, event, stream);
  (kind == DriverCallKind::record_event ? events_recorded_ : events_awaited_).insert(event);
}

void ProgramMonitor::on_launch(MutexLock& lock, const SeenLaunch& launch, CUcontext context) {
  if (context_ == nullptr) {
    context_ = context;
    changed_.notify_all();
  }
  if (accompanying_ != nullptr) last_launch_ns_ = now_ns();
  if (phase_ == Phase::recording && context != context_)
    iteration_.mark_not_replayable("uses several GPUs or contexts",
                                   "let the program use one GPU: CUDA_VISIBLE_DEVICES=N");
  if (!std::holds_alternative<GraphView>(launch.view.what)) streams_.count_launch(launch.view.stream);
  const Step step = next_step(launch);
  if (RunObserver* observer = observer_; observer != nullptr && step == Step::pass)
    observer->want_records(!session_->is_timing());
  switch (step) {
    case Step::pass:
      break;
    case Step::begin:
      if (!begin_if_ready(lock, launch, context)) session_->record_next();  // the iteration passes
      break;
    case Step::record:
      iteration_.add(launch.view, context_, state_, *cupti_);
      break;
    case Step::abandon:
      set_phase(Phase::abandoned);
      break;
    case Step::end:
      return wait_at_end(lock, launch, context);
  }
  advance(launch);
}

void ProgramMonitor::advance(const SeenLaunch& launch) {
  if (position_ == nullptr) return;
  position_->advance(launch.collectives);
  if (begins_after_ && *begins_after_ == position_->place().collectives) begin_here();
}

Step ProgramMonitor::next_step(const SeenLaunch& launch) {
  return session_->next({.shape_hash = launch.shape_hash,
                         .address_hash = launch.address_hash,
                         .time_ns = session_->needs_time() ? now_ns() : 0,
                         .launches = launch.launches,
                         .identity = session_->needs_identity() ? state_.identity(launch) : LaunchIdentity{},
                         .collectives = launch.collectives});
}

void ProgramMonitor::wait_at_end(MutexLock& lock, const SeenLaunch& launch, CUcontext context) {
  waits_at_launch_ = true;
  set_phase(Phase::end);
  if (gpus_ != nullptr && accompanying_ == nullptr && is_in_step_) gpus_->end();
  changed_.wait(lock.to_wait(), [&] { return phase_ != Phase::end; });
  waits_at_launch_ = false;
  if (!std::exchange(takes_launch_again_, false)) {
    wait_while_paused(lock);
    advance(launch);
    return;
  }
  if (phase_ != Phase::released) on_launch(lock, launch, context);
  changed_.notify_all();  // the other threads' launches follow this one
}

bool ProgramMonitor::begin_if_ready(MutexLock& lock, const SeenLaunch& launch, CUcontext context) {
  using Kind = ProgramGpus::Beginning::Kind;
  ProgramGpus::Beginning beginning;
  if (gpus_ != nullptr && gpus_->are_several())
    beginning = gpus_->begin(position_->place(), session_->can_record_next(), session_->is_shared());
  if (beginning.kind == Kind::later) return false;
  is_in_step_ = beginning.kind == Kind::together;
  start_iteration();
  if (beginning.kind == Kind::refused)
    iteration_.mark_not_replayable(beginning.why, "measure one GPU at a time with --gpu N");
  begin_recording(lock, launch, context);
  return true;
}

void ProgramMonitor::start_iteration() {
  const bool is_shared = session_->is_shared() || is_in_step_;
  iteration_ = KeptIteration(is_shared);
  events_recorded_.clear();
  events_awaited_.clear();
  if (is_shared) state_.use_files_of_nccl();
}

void ProgramMonitor::begin_here() {
  begins_after_.reset();
  is_in_step_ = true;
  begins_at_launch_ = false;
  accompanying_->begin();
  start_iteration();
  set_phase(Phase::begin);
}

void ProgramMonitor::begin_recording(MutexLock& lock, const SeenLaunch& launch, CUcontext context) {
  context_ = context;
  // The program is paused at the last launch before the iteration. The calls that a loop makes after this
  // launch, it also makes before the iteration's first launch.
  const bool repeats = session_->loop() || (session_->phase() && !session_->passed_iterations().empty());
  if (repeats && refused_since_launch_ != nullptr) iteration_.mark_calls(refused_since_launch_);
  iteration_.add(launch.view, context_, state_, *cupti_);
  set_phase(Phase::begin);
  changed_.wait(lock.to_wait(), [&] { return phase_ != Phase::begin; });
  first_launch_paused_ = false;  // the other threads' launches follow this one
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
