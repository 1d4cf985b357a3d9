#include "cuda/program_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "cuda/check.hpp"
#include "cuda/host_time.hpp"
#include "cuda/make_call.hpp"
#include "cuda/nvtx.hpp"
#include "cuda/run_observer.hpp"
#include "cuda/thread_state.hpp"

namespace kjoule::cuda {

namespace {

/// Returns whether a kernel is a collective. Its counterparts on other GPUs are not paused and cannot be
/// replayed with it.
bool is_collective(const std::string& name) {
  return name.find("ncclDevKernel") != std::string::npos || name.find("ncclKernel") != std::string::npos;
}

/// Returns whether callbacks of this kind are enabled only during a recording. Programs record many events,
/// which are not needed while an iteration is searched for.
bool only_while_recording(DriverCallKind kind) {
  return kind == DriverCallKind::record_event || kind == DriverCallKind::wait_for_event;
}

/// Returns whether a copy or memset works on one of these ranges.
bool copies_or_sets(const Call& call, const std::vector<Allocation>& ranges) {
  const auto is_within = [&](CUdeviceptr address) {
    return std::ranges::any_of(ranges, [&](const Allocation& range) { return range.contains(address); });
  };
  if (const auto* copy = std::get_if<CopyCall>(&call.what))
    return is_within(copy->shape.srcDevice) || is_within(copy->shape.dstDevice);
  const auto* set = std::get_if<MemsetCall>(&call.what);
  return set != nullptr && is_within(set->to);
}

/// Longest time without a driver call of the program while its iteration is recorded.
constexpr std::chrono::seconds kLongestSilence{20};
constexpr std::chrono::seconds kLook{1};  ///< pause between two looks at it

StreamKind kind_of(CUstream stream) {
  if (stream == nullptr || stream == CU_STREAM_LEGACY) return StreamKind::legacy;
  unsigned flags = 0;
  if (cuStreamGetFlags(stream, &flags) == CUDA_SUCCESS && (flags & CU_STREAM_NON_BLOCKING) != 0)
    return StreamKind::non_blocking;
  return StreamKind::blocking;
}

}  // namespace

void ProgramMonitor::subscribe() {
  cupti_ = std::make_unique<Cupti>(&ProgramMonitor::on_callback, this);
  enable_callbacks();
}

void ProgramMonitor::enable_callbacks() {
  for (const auto& [id, kind] : handled_driver_calls())
    if (!only_while_recording(kind)) cupti_->enable(CUPTI_CB_DOMAIN_DRIVER_API, id, true);
  for (const CUpti_CallbackId id : kWaitingCalls) cupti_->enable_if_known(id);
  cupti_->enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, true);
}

void ProgramMonitor::observe_with(RunObserver& observer) {
  observer_ = &observer;
  observer.start(*cupti_);
}

void ProgramMonitor::enable_event_callbacks(bool on) {
  for (const auto& [id, kind] : handled_driver_calls())
    if (only_while_recording(kind)) cupti_->enable(CUPTI_CB_DOMAIN_DRIVER_API, id, on);
}

void ProgramMonitor::exempt_this_thread() {
  thread_state.exempt = true;
}

CUcontext ProgramMonitor::wait_for_context() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return context_ != nullptr; });
  return context_;
}

void ProgramMonitor::wait_for_begin() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return phase_ == Phase::begin && in_flight_ == 0; });
  }
  // The recorded iteration has activity records of its own, and replays must not be slowed down.
  if (observer_ != nullptr) observer_->want_records(false);
}

bool ProgramMonitor::record_iteration() {
  enable_event_callbacks(true);
  {
    std::unique_lock lock(mutex_);
    first_launch_paused_ = true;
    set_phase(Phase::recording);
    const auto is_over = [&] {
      return (phase_ == Phase::end && in_flight_ == 0) || phase_ == Phase::abandoned;
    };
    uint64_t seen = calls_seen_;
    for (auto silence = kLook; !changed_.wait_for(lock, kLook, is_over); silence += kLook) {
      if (std::exchange(seen, calls_seen_) != seen) silence = {};
      if (silence >= kLongestSilence) give_up();
    }
  }
  enable_event_callbacks(false);
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::abandoned) {
    free_held();
    if (observer_ != nullptr) observer_->want_records(true);
    set_phase(Phase::searching);
    return false;
  }
  if (!held_frees_.are_kept())
    mark_not_replayable(
        "frees device memory, which this driver does not let kjoule keep",
        "--skip-iterations N records a later one; --range NAME chooses a part that frees none");
  if (incomplete_)
    throw Error("the iteration cannot be kept: " + *incomplete_, "choose another part of it with --range");
  return true;
}

void ProgramMonitor::give_up() {
  const std::string launches = calls_.empty() ? ""
                                              : fmt::format(", after launch {} of the iteration ({})",
                                                            calls_.size(), readable_name(calls_.back()));
  set_phase(Phase::released);
  throw Error(fmt::format("the iteration does not end: for {} s the program has been {} {}{}",
                          kLongestSilence.count(), is_in_call_ ? "in" : "without a driver call since",
                          last_call_, launches),
              "where it waits for other programs, choose a part that does not with --range");
}

bool ProgramMonitor::search_again() {
  {
    const std::lock_guard lock(mutex_);
    if (!session_->search_again()) return false;
    free_held();
  }
  search();
  return true;
}

void ProgramMonitor::search() {
  cupti_->enable_all(CUPTI_CB_DOMAIN_DRIVER_API, false);  // ends pause_at_every_call()
  enable_callbacks();
  if (observer_ != nullptr) observer_->want_records(true);
  const std::lock_guard lock(mutex_);
  set_phase(Phase::searching);
}

void ProgramMonitor::go_on() {
  {
    const std::lock_guard lock(mutex_);
    free_held();
    if (!session_->go_on()) return set_phase(Phase::released);
  }
  search();
}

void ProgramMonitor::throw_if_not_replayable() const {
  if (not_replayable_) throw *not_replayable_;
}

void ProgramMonitor::mark_not_replayable(const std::string& what, const char* remedy) {
  if (!not_replayable_) not_replayable_.emplace("the iteration cannot be replayed: it " + what, remedy);
}

void ProgramMonitor::pause_at_every_call() {
  cupti_->enable_all(CUPTI_CB_DOMAIN_DRIVER_API, true);
}

void ProgramMonitor::release() {
  const std::lock_guard lock(mutex_);
  free_held();
  set_phase(Phase::released);
}

void ProgramMonitor::detach() {
  bool has_graphs = false;
  {
    const std::lock_guard lock(mutex_);
    if (state_.captures().any() || std::exchange(detached_, true)) return;
    has_graphs = state_.graphs().any();
  }
  // A graph that was launched while there were activity records fails in a later launch without CUPTI
  // (tests/gpu/facts finalizing).
  if (has_graphs)
    cupti_->enable_all(CUPTI_CB_DOMAIN_DRIVER_API, false);
  else
    cupti_->detach();  // outside the lock: it may wait for callbacks, which may wait for the lock
}

CUstream ProgramMonitor::busiest_stream() {
  const std::lock_guard lock(mutex_);
  auto* stream = static_cast<CUstream>(const_cast<void*>(streams_.get()));
  // These two handles mean the default stream and the calling thread's own default stream.
  return stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD ? nullptr : stream;
}

bool ProgramMonitor::is_recording() {
  const std::lock_guard lock(mutex_);
  return context_ != nullptr && phase_ != Phase::end && phase_ != Phase::released;
}

bool ProgramMonitor::is_recorded() {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::end || phase_ == Phase::released;
}

std::string ProgramMonitor::describe_progress() {
  const std::lock_guard lock(mutex_);
  return std::to_string(session_->launches()) + " launches seen; " + session_->best_guess();
}

void ProgramMonitor::begin_range(std::string_view name) {
  std::unique_lock lock(mutex_);
  wait_while_paused(lock);
  session_->begin_range(name, now_ns());
}

void ProgramMonitor::end_range(std::string_view name) {
  std::unique_lock lock(mutex_);
  wait_while_paused(lock);
  if (!session_->end_range(name, now_ns())) return;
  set_phase(Phase::end);
  wait_while_paused(lock);
}

void ProgramMonitor::set_phase(Phase phase) {
  phase_ = phase;
  changed_.notify_all();
}

void CUPTIAPI ProgramMonitor::on_callback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                          const void* data) {
  ThreadState& thread = thread_state;
  auto& monitor = *static_cast<ProgramMonitor*>(self);
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) return monitor.on_resource(id, data);  // also in kjoule's own calls
  if (thread.exempt || domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  thread.exempt = true;  // driver calls within this callback must not cause callbacks
  if (call.callbackSite == CUPTI_API_EXIT && waits_for_device(id)) monitor.on_wait();
  if (call.callbackSite == CUPTI_API_EXIT && monitor.observer_ != nullptr && has_succeeded(call))
    monitor.observer_->on_success(id, call);
  if (call.callbackSite == CUPTI_API_ENTER)
    thread.launching = monitor.on_enter(id, call);
  else if (std::exchange(thread.launching, false))
    monitor.on_launch_done();
  else
    monitor.on_exit(id, call);
  if (call.callbackSite == CUPTI_API_EXIT && monitor.phase_ == Phase::released) monitor.detach();
  thread.exempt = false;
}

void ProgramMonitor::on_resource(CUpti_CallbackId id, const void* data) {
  if (id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
  const auto& resource = *static_cast<const CUpti_ResourceData*>(data);
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
  if (module != nullptr && module->pCubin != nullptr) state_.add_module(module->pCubin, module->cubinSize);
}

void ProgramMonitor::wait_while_paused(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] {
    return phase_ != Phase::begin && phase_ != Phase::end && phase_ != Phase::abandoned &&
           !(phase_ == Phase::recording && first_launch_paused_);
  });
}

bool ProgramMonitor::on_enter(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  std::unique_lock lock(mutex_);
  wait_while_paused(lock);
  if (phase_ == Phase::recording) {
    note_call(data, true);
    hold_free(id, data);
  }
  const ProgramState::Effect effect = state_.on_enter(id, data);
  if (observer_ != nullptr) observer_->on_enter(data, effect, state_);
  if (phase_ == Phase::released) return false;
  if (phase_ == Phase::recording) on_free(effect.freed);
  const DriverCallKind kind = driver_call_kind(id);
  switch (kind) {
    case DriverCallKind::launch:
      if (effect.launch && state_.is_on_measured_gpu(data.context))
        on_launch(lock, *effect.launch, data.context);
      ++in_flight_;
      return true;
    case DriverCallKind::not_replayable:
    case DriverCallKind::destroy_pool:
    case DriverCallKind::unload:
      if (phase_ == Phase::recording)
        mark_not_replayable(std::string("calls ") + data.functionName,
                            "choose another part of it with --range");
      break;
    case DriverCallKind::host_function:
      if (phase_ == Phase::recording) ++host_functions_;
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
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::recording) note_call(data, false);
  if (has_succeeded(data) || retry(id, data)) state_.on_success(id, data);
}

void ProgramMonitor::note_call(const CUpti_CallbackData& data, bool begins) {
  ++calls_seen_;
  last_call_ = data.functionName;
  is_in_call_ = begins;
}

void ProgramMonitor::hold_free(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (driver_call_kind(id) == DriverCallKind::release && !state_.is_captured(id, data))
    held_frees_.hold(id, data, state_.allocations());
}

void ProgramMonitor::free_held() {
  for (const Allocation& allocation : held_frees_.free_all()) state_.remove(allocation);
}

bool ProgramMonitor::retry(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (driver_call_kind(id) != DriverCallKind::allocate || held_frees_.empty()) return false;
  mark_not_replayable("frees device memory, and the GPU has no more for what it allocates then",
                      "run a smaller batch or use a GPU with more memory");
  free_held();
  auto& result = *static_cast<CUresult*>(data.functionReturnValue);
  const CUresult again = repeat_allocation(id, data.functionParams);
  if (again != CUDA_ERROR_NOT_SUPPORTED) result = again;
  return result == CUDA_SUCCESS;
}

void ProgramMonitor::on_wait() {
  const std::lock_guard lock(mutex_);
  session_->wait_for_device();
}

/// Counts a completed launch. It is called for every launch, so it takes the lock only if a thread may be
/// waiting.
void ProgramMonitor::on_launch_done() {
  if (phase_ == Phase::recording) {
    ++calls_seen_;
    is_in_call_ = false;
  }
  const bool last = --in_flight_ == 0;
  if (phase_ == Phase::recording) end_if_complete();
  if (!last) return;
  const Phase phase = phase_;
  if (phase != Phase::begin && phase != Phase::end) return;
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

/// Ends the recording after the launch that is known to be its last one, and pauses this thread.
void ProgramMonitor::end_if_complete() {
  std::unique_lock lock(mutex_);
  if (phase_ != Phase::recording || !session_->is_complete()) return;
  set_phase(Phase::end);
  wait_while_paused(lock);
}

void ProgramMonitor::on_free(const std::vector<Allocation>& freed) {
  for (const Allocation& allocation : freed)
    mark_not_replayable(allocation.kind == MemoryKind::host
                            ? "frees pinned memory of the host that kernels use"
                            : "unmaps device memory",
                        "--skip-iterations N records a later one; --range NAME chooses a part that does not");
}

void ProgramMonitor::on_event(DriverCallKind kind, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const bool recording = phase_ == Phase::begin || phase_ == Phase::recording;
  const auto [event, stream] = read_event(id, data.functionParams);
  if (!recording || state_.captures().contains(stream)) return;
  if (kind == DriverCallKind::record_event)
    dependencies_.record_event(event, identity_of(stream));
  else
    dependencies_.wait_for_event(identity_of(stream), event);
}

void ProgramMonitor::on_launch(std::unique_lock<std::mutex>& lock, const SeenLaunch& launch,
                               CUcontext context) {
  if (context_ == nullptr) {
    context_ = context;
    changed_.notify_all();
  }
  if (phase_ == Phase::recording && context != context_)
    mark_not_replayable("uses several GPUs or contexts", "let it use one: CUDA_VISIBLE_DEVICES names it");
  if (!std::holds_alternative<GraphView>(launch.view.what)) streams_.count_launch(launch.view.stream);
  const Step step = session_->next({launch.shape_hash, launch.pointers, session_->needs_time() ? now_ns() : 0,
                                    launch.launches,
                                    session_->needs_identity() ? state_.identity(launch) : LaunchIdentity{}});
  if (observer_ != nullptr && step == Step::pass) observer_->want_records(!session_->is_timing());
  switch (step) {
    case Step::pass:
      return;
    case Step::begin:
      return begin_recording(lock, launch, context);
    case Step::record:
      return record(launch.view);
    case Step::abandon:
      return set_phase(Phase::abandoned);
    case Step::end:
      set_phase(Phase::end);
      wait_while_paused(lock);
      return;
  }
}

void ProgramMonitor::begin_recording(std::unique_lock<std::mutex>& lock, const SeenLaunch& launch,
                                     CUcontext context) {
  context_ = context;
  calls_.clear();
  memory_of_graphs_.clear();
  host_functions_ = 0;
  own_streams_.clear();
  dependencies_ = {};
  not_replayable_.reset();
  incomplete_.reset();
  record(launch.view);
  set_phase(Phase::begin);
  changed_.wait(lock, [&] { return phase_ != Phase::begin; });
  first_launch_paused_ = false;  // the other threads' launches follow this one
  changed_.notify_all();
}

void ProgramMonitor::record(const LaunchView& view) {
  try {
    const auto first = static_cast<uint32_t>(calls_.size());
    const StreamKind kind = kind_of(view.stream);
    CUstream stream = identity_of(view.stream);
    if (view.stream == CU_STREAM_PER_THREAD) own_streams_[stream] = cupti_->stream_id(context_, view.stream);
    if (const auto* graph = std::get_if<GraphView>(&view.what)) {
      Graphs::Launches launches = state_.graphs().launches(graph->graph);
      memory_of_graphs_.insert(memory_of_graphs_.end(), launches.memory.begin(), launches.memory.end());
      const auto waits_for = dependencies_.add_graph(first, launches.waits_for, stream, kind);
      for (size_t i = 0; i < launches.calls.size(); ++i) {
        Call& call = launches.calls[i];
        if (const auto* copy = std::get_if<CopyCall>(&call.what))
          call = make_call({*copy, nullptr}, state_.functions());
        call.from_graph = true;
        add(std::move(call), stream, waits_for[i]);
      }
    } else {
      Call call = make_call(view, state_.functions());
      add(std::move(call), stream, dependencies_.add_launch(first, stream, kind));
    }
  } catch (const Error& error) {
    incomplete_ = error.what();
  }
}

void ProgramMonitor::add(Call call, CUstream stream, std::vector<uint32_t> waits_for) {
  const auto* kernel = std::get_if<KernelCall>(&call.what);
  if (kernel != nullptr && is_collective(kernel->function->name))
    mark_not_replayable("has a collective (" + kernel->function->name + "), whose other ends are not paused",
                        "choose a part without it with --range");
  if (copies_or_sets(call, memory_of_graphs_))
    mark_not_replayable("copies or sets memory that a CUDA graph allocates, which only that graph may do",
                        "choose a part without that graph with --range");
  call.stream = stream;
  call.waits_for = std::move(waits_for);
  call.ranges = ranges_of_this_thread();
  calls_.push_back(std::move(call));
}

}  // namespace kjoule::cuda
