// What ProgramMonitor does within the program's driver calls. program_monitor.cpp has the functions that
// kjoule's own threads call.

#include <cstdio>
#include <utility>
#include <variant>

#include "cuda/driver/forked_copy.hpp"
#include "cuda/driver/host_time.hpp"
#include "cuda/driver/thread_state.hpp"
#include "cuda/watch/program_gpus.hpp"
#include "cuda/watch/program_monitor.hpp"
#include "cuda/watch/run_observer.hpp"

namespace kjoule::cuda {

namespace {

/// Runs `action` while the lock is unlocked. The check of locks cannot follow a lock of the caller's caller.
template <typename Action>
void without(MutexLock& lock, const Action& action) KJOULE_UNCHECKED_LOCKS {
  lock.unlock();
  action();
  lock.lock();
}

}  // namespace

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

}  // namespace kjoule::cuda
