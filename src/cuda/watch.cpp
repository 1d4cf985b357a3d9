#include "cuda/watch.hpp"

#include <ctime>
#include <utility>

#include "base/error.hpp"
#include "cuda/check.hpp"
#include "cuda/nvtx.hpp"

namespace kjoule::driver {

namespace {

/// The state of the calling thread. A callback looks it up once, because each lookup of a thread-local
/// variable is a function call.
struct OfThread {
  bool exempt = false;
  bool launching = false;  ///< whether its launch is counted as in flight
};
thread_local OfThread of_this_thread;

/// Returns whether a kernel is a collective. Its counterparts on other GPUs are not paused and cannot be
/// replayed with it.
bool is_collective(const std::string& name) {
  return name.find("ncclDevKernel") != std::string::npos || name.find("ncclKernel") != std::string::npos;
}

/// Returns whether callbacks of this kind are enabled only during a recording. Programs record many events,
/// which are not needed while an iteration is searched for.
bool only_while_recording(Interest interest) {
  return interest == Interest::record_event || interest == Interest::wait_for_event;
}

inject::StreamKind kind_of(CUstream stream) {
  if (stream == nullptr || stream == CU_STREAM_LEGACY) return inject::StreamKind::legacy;
  unsigned flags = 0;
  if (cuStreamGetFlags(stream, &flags) == CUDA_SUCCESS && (flags & CU_STREAM_NON_BLOCKING) != 0)
    return inject::StreamKind::non_blocking;
  return inject::StreamKind::blocking;
}

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

}  // namespace

void Watch::subscribe() {
  cupti_ = std::make_unique<Cupti>(&Watch::on_callback, this);
  for (const auto& [id, interest] : interests())
    if (!only_while_recording(interest)) cupti_->enable(CUPTI_CB_DOMAIN_DRIVER_API, id, true);
}

void Watch::watch_events(bool on) {
  for (const auto& [id, interest] : interests())
    if (only_while_recording(interest)) cupti_->enable(CUPTI_CB_DOMAIN_DRIVER_API, id, on);
}

void Watch::exempt_this_thread() {
  of_this_thread.exempt = true;
}

CUcontext Watch::wait_for_context() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return context_ != nullptr; });
  return context_;
}

void Watch::wait_for_begin() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return phase_ == Phase::begin && in_flight_ == 0; });
}

bool Watch::record_iteration() {
  watch_events(true);
  {
    std::unique_lock lock(mutex_);
    first_waits_ = true;
    change(Phase::recording);
    changed_.wait(lock, [&] {
      return (phase_ == Phase::end && in_flight_ == 0 && !first_waits_) || phase_ == Phase::abandoned;
    });
  }
  watch_events(false);
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::abandoned) {
    change(Phase::watching);
    return false;
  }
  if (incomplete_)
    throw Error("the iteration cannot be kept: " + *incomplete_, "choose another part of it with --range");
  return true;
}

void Watch::refuse_replay() const {
  if (refused_) throw *refused_;
}

void Watch::refuse(const std::string& what, const char* remedy) {
  if (!refused_) refused_.emplace("the iteration cannot be replayed: it " + what, remedy);
}

void Watch::hold_everything() {
  cupti_->enable_all(CUPTI_CB_DOMAIN_DRIVER_API, true);
}

void Watch::release() {
  const std::lock_guard lock(mutex_);
  change(Phase::released);
}

void Watch::detach() {
  {
    const std::lock_guard lock(mutex_);
    if (captures_ > 0 || std::exchange(detached_, true)) return;
  }
  cupti_->detach();  // outside the lock: it may wait for callbacks, which may wait for the lock
}

CUstream Watch::busiest_stream() {
  const std::lock_guard lock(mutex_);
  auto* stream = static_cast<CUstream>(const_cast<void*>(streams_.get()));
  // These two handles mean the default stream and the calling thread's own default stream.
  return stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD ? nullptr : stream;
}

bool Watch::is_under_way() {
  const std::lock_guard lock(mutex_);
  return context_ != nullptr && phase_ != Phase::end && phase_ != Phase::released;
}

bool Watch::is_recorded() {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::end || phase_ == Phase::released;
}

std::string Watch::unfinished() {
  const std::lock_guard lock(mutex_);
  return std::to_string(session_->launches()) + " launches seen; " + session_->best_guess();
}

void Watch::range_begins(std::string_view name) {
  std::unique_lock lock(mutex_);
  stand_still(lock);
  session_->range_begins(name, now_ns());
}

void Watch::range_ends(std::string_view name) {
  std::unique_lock lock(mutex_);
  stand_still(lock);
  if (!session_->range_ends(name, now_ns())) return;
  change(Phase::end);
  stand_still(lock);
}

void Watch::change(Phase phase) {
  phase_ = phase;
  changed_.notify_all();
}

void CUPTIAPI Watch::on_callback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void* data) {
  OfThread& thread = of_this_thread;
  if (thread.exempt || domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  auto& watch = *static_cast<Watch*>(self);
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  thread.exempt = true;  // driver calls within this callback must not cause callbacks
  if (call.callbackSite == CUPTI_API_ENTER)
    thread.launching = watch.on_enter(id, call);
  else if (std::exchange(thread.launching, false))
    watch.launch_is_done();
  else
    watch.on_exit(id, call);
  if (call.callbackSite == CUPTI_API_EXIT && watch.phase_ == Phase::released) watch.detach();
  thread.exempt = false;
}

void Watch::stand_still(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return phase_ != Phase::begin && phase_ != Phase::end; });
}

bool Watch::on_enter(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  std::unique_lock lock(mutex_);
  stand_still(lock);
  const Interest interest = interest_of(id);
  if (interest == Interest::capture_begin) ++captures_;
  if (interest == Interest::capture_end) captures_ = std::max(0, captures_ - 1);
  if (phase_ == Phase::released) return false;
  switch (interest) {
    case Interest::launch:
      on_launch(lock, id, data);
      ++in_flight_;
      return true;
    case Interest::release:
      ranges_.released(read_release(id, data.functionParams));
      break;
    case Interest::refuse:
      if (phase_ == Phase::recording)
        refuse(std::string("calls ") + data.functionName, "choose another part of it with --range");
      break;
    case Interest::destroy_graph:
      graphs_.destroyed(static_cast<const cuGraphExecDestroy_params*>(data.functionParams)->hGraphExec);
      break;
    case Interest::destroy_stream:
      streams_.destroyed(static_cast<const cuStreamDestroy_v2_params*>(data.functionParams)->hStream);
      break;
    case Interest::allocate_managed:
      managed_ = true;
      break;
    case Interest::record_event:
    case Interest::wait_for_event:
      on_event(interest, id, data);
      break;
    default:
      break;
  }
  return false;
}

void Watch::on_exit(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
  if (result == nullptr || *result != CUDA_SUCCESS) return;
  switch (interest_of(id)) {
    case Interest::allocate:
      return on_allocation(id, data);
    case Interest::instantiate: {
      // All three calls begin with these two parameters.
      const auto& p = *static_cast<const cuGraphInstantiateWithFlags_params*>(data.functionParams);
      const std::lock_guard lock(mutex_);
      return graphs_.instantiated(*p.phGraphExec, p.hGraph, functions_);
    }
    case Interest::change_graph: {
      const std::lock_guard lock(mutex_);
      return graphs_.changed(id, data.functionParams, functions_);
    }
    default:
      return;
  }
}

/// Counts a completed launch. It is called for every launch, so it takes the lock only if a thread may be
/// waiting.
void Watch::launch_is_done() {
  if (--in_flight_ > 0) return;
  const Phase phase = phase_;
  if (phase != Phase::begin && phase != Phase::end) return;
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void Watch::on_allocation(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const std::lock_guard lock(mutex_);
  if (!ours(data.context)) return;
  const auto [address, bytes] = read_allocation(id, data.functionParams);
  ranges_.allocated(address, bytes);
  if (phase_ == Phase::recording)
    refuse("allocates device memory between its launches",
           "--skip-iterations N records a later one, whose memory is there");
}

void Watch::on_event(Interest interest, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const bool recording = phase_ == Phase::begin || phase_ == Phase::recording;
  const auto [event, stream] = read_event(id, data.functionParams);
  if (!recording || capturing(stream)) return;
  if (interest == Interest::record_event)
    dependencies_.event_recorded(event, stream);
  else
    dependencies_.stream_waits(stream, event);
}

/// Returns whether the context is on the watched GPU. The context must be the current one of the calling
/// thread.
bool Watch::ours(CUcontext context) {
  if (!gpu_) return true;
  const auto known = is_ours_.find(context);
  if (known != is_ours_.end()) return known->second;
  CUdevice device = 0;
  const bool found = cuCtxGetDevice(&device) == CUDA_SUCCESS;
  return is_ours_[context] = found && device == *gpu_;
}

bool Watch::capturing(CUstream stream) const {
  if (captures_ == 0) return false;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Watch::on_launch(std::unique_lock<std::mutex>& lock, CUpti_CallbackId id,
                      const CUpti_CallbackData& data) {
  if (!ours(data.context)) return;
  if (context_ == nullptr) {
    context_ = data.context;
    changed_.notify_all();
  }
  const LaunchView view = read_launch(id, data.functionParams);
  if (capturing(view.stream)) return;
  if (phase_ == Phase::recording && data.context != context_)
    refuse("uses several GPUs or contexts", "let it use one: CUDA_VISIBLE_DEVICES names it");
  const auto* graph = std::get_if<GraphView>(&view.what);
  if (graph == nullptr) streams_.launched(view.stream);
  const Graphs::Identity identity =
      graph != nullptr ? graphs_.identity(graph->graph) : Graphs::Identity{hashes(view, functions_), 1};
  switch (session_->next(identity.hashes.signature, identity.hashes.arguments,
                         session_->needs_time() ? now_ns() : 0, identity.launches)) {
    case inject::Step::watch:
      return;
    case inject::Step::begin:
      context_ = data.context;
      calls_.clear();
      dependencies_ = {};
      refused_.reset();
      incomplete_.reset();
      if (managed_)
        refuse("may use managed memory, which moves when it is touched", "allocate it with cudaMalloc");
      record(view);
      change(Phase::begin);
      // Other threads may have reached the end of the iteration before this one continues.
      changed_.wait(lock, [&] { return phase_ != Phase::begin; });
      first_waits_ = false;
      return;
    case inject::Step::record:
      return record(view);
    case inject::Step::abandon:
      return change(Phase::abandoned);
    case inject::Step::end:
      change(Phase::end);
      stand_still(lock);
      return;
  }
}

void Watch::record(const LaunchView& view) {
  try {
    const auto first = static_cast<uint32_t>(calls_.size());
    const inject::StreamKind kind = kind_of(view.stream);
    if (const auto* graph = std::get_if<GraphView>(&view.what)) {
      Graphs::Launches launches = graphs_.launches(graph->graph);
      const auto after = dependencies_.graph_launched(first, launches.after, view.stream, kind);
      for (size_t i = 0; i < launches.calls.size(); ++i) {
        Call& call = launches.calls[i];
        if (const auto* copy = std::get_if<CopyCall>(&call.what)) call = keep({*copy, nullptr}, functions_);
        call.of_graph = true;
        add(std::move(call), view.stream, after[i]);
      }
    } else {
      Call call = keep(view, functions_);
      add(std::move(call), view.stream, dependencies_.launched(first, view.stream, kind));
    }
  } catch (const Error& error) {
    incomplete_ = error.what();
  }
}

void Watch::add(Call call, CUstream stream, std::vector<uint32_t> after) {
  const auto* kernel = std::get_if<KernelCall>(&call.what);
  if (kernel != nullptr && is_collective(kernel->function->name))
    refuse("has a collective (" + kernel->function->name + "), whose other ends are not held",
           "choose a part without it with --range");
  call.stream = stream;
  call.after = std::move(after);
  call.ranges = ranges_of_this_thread();
  calls_.push_back(std::move(call));
}

}  // namespace kjoule::driver
