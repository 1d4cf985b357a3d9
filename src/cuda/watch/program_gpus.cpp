#include "cuda/watch/program_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cuda/calls/used_memory.hpp"
#include "cuda/driver/host_time.hpp"
#include "cuda/watch/program_monitor.hpp"

namespace kjoule::cuda {

namespace {

/// Longest time for which iterations of the first GPU pass because a further GPU is not ready.
constexpr std::chrono::seconds kPatienceForGpus{5};
/// A GPU that has launched nothing for this time, and for two iterations, does not work in the loop.
constexpr int64_t kIdle_ns = 1'000'000'000;

}  // namespace

FurtherGpu::FurtherGpu(int gpu, const std::string& path)
    : number(gpu),
      board(path),
      position(*board, board->come()),
      monitor(std::make_unique<ProgramMonitor>(gpu, &position)) {}

FurtherGpu::~FurtherGpu() = default;

ProgramGpus::ProgramGpus(ProgramMonitor& first, std::string board, Actions actions)
    : first_(first), board_(std::move(board)), actions_(std::move(actions)) {}

ProgramGpus::~ProgramGpus() = default;

std::optional<int> ProgramGpus::gpu_of(CUcontext context) {
  if (context == nullptr) return {};
  const MutexLock lock(mutex_);
  const auto known = gpus_.find(context);
  if (known != gpus_.end()) return known->second;
  CUdevice device = 0;
  if (cuCtxGetDevice(&device) != CUDA_SUCCESS) return {};
  return gpus_[context] = device;
}

ProgramMonitor& ProgramGpus::monitor_of(int gpu) {
  int none = -1;
  if (first_number_.compare_exchange_strong(none, gpu) || first_number_ == gpu) return first_;
  const MutexLock lock(mutex_);
  for (FurtherGpu& known : further_)
    if (known.number == gpu) return *known.monitor;
  if (further_.empty()) first_.measure_only(first_number_);
  FurtherGpu& added = further_.emplace_back(gpu, board_);
  added.monitor->join(first_,
                      std::make_unique<AccompanyingSession>(actions_.make_session(), first_has_ended_));
  ++count_;
  return *added.monitor;
}

std::vector<FurtherGpu*> ProgramGpus::further() {
  const MutexLock lock(mutex_);
  std::vector<FurtherGpu*> all;
  for (FurtherGpu& gpu : further_) all.push_back(&gpu);
  return all;
}

void ProgramGpus::lead(int gpu) {
  const MutexLock lock(mutex_);
  for (FurtherGpu& one : further_) {
    if (one.number != gpu || first_.has_launched()) continue;
    first_.exchange_gpus(*one.monitor);
    one.number = first_number_.exchange(gpu);
  }
}

bool ProgramGpus::pass(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (visible_ == 0) {
    int count = 0;
    if (cuDeviceGetCount(&count) == CUDA_SUCCESS) visible_ = count;
  }
  if (visible_ <= 1) return false;
  const std::optional<int> gpu = gpu_of(call.context);
  ProgramMonitor* own = gpu ? &monitor_of(*gpu) : &first_;
  if (!are_several()) return false;
  if (own != &first_ && driver_call_kind(id) == DriverCallKind::launch && !first_.has_launched()) {
    lead(*gpu);
    own = &monitor_of(*gpu);
  }
  if (own != &first_) first_.note(id, call);
  for (FurtherGpu* other : further())
    if (other->monitor.get() != own) other->monitor->note(id, call);
  own->handle(id, call);
  if (first_.is_released())
    for (FurtherGpu* other : further()) other->monitor->stop_searching();
  return true;
}

bool ProgramGpus::are_released() {
  const auto gpus = further();
  return std::ranges::all_of(gpus, [](const FurtherGpu* gpu) { return gpu->monitor->is_released(); });
}

void ProgramGpus::add_module(const void* cubin, size_t bytes) {
  for (FurtherGpu* gpu : further()) gpu->monitor->add_module(cubin, bytes);
}

ProgramGpus::Beginning ProgramGpus::begin(const RankPlace& place, bool may_wait, bool is_shared) {
  using Kind = Beginning::Kind;
  const int64_t time_ns = now_ns();
  const std::optional<BegunIteration> last = std::exchange(last_begin_, BegunIteration{place, time_ns});
  const int64_t since_ns = time_ns - std::max(kIdle_ns, last ? 2 * (time_ns - last->time_ns) : 0);
  std::vector<FurtherGpu*> at_work;
  for (FurtherGpu* gpu : further())
    if (gpu->monitor->last_launch_ns() > std::max<int64_t>(since_ns, 0)) at_work.push_back(gpu);
  if (at_work.empty()) return {Kind::alone, {}};
  const std::string others =
      fmt::format("uses several GPUs (GPU {} and GPU {})", first_number_.load(), at_work.front()->number);
  if (!may_wait) return {Kind::refused, others};
  if (is_shared) return {Kind::refused, others + ", as do other processes of the program"};
  if (!last) return {Kind::later, {}};
  const uint64_t collectives = place.collectives - last->place.collectives;
  for (FurtherGpu* gpu : at_work) {
    if (gpu->monitor->may_begin_with(place, collectives)) continue;
    const auto now = std::chrono::steady_clock::now();
    if (!waits_since_) waits_since_ = now;
    if (now - *waits_since_ < kPatienceForGpus) return {Kind::later, {}};
    return {
        Kind::refused,
        fmt::format("uses several GPUs, and the work of GPU {} does not repeat in step with that of GPU {}",
                    gpu->number, first_number_.load())};
  }
  begin_together(at_work, place, collectives);
  return {Kind::together, {}};
}

void ProgramGpus::begin_together(const std::vector<FurtherGpu*>& gpus, const RankPlace& place,
                                 uint64_t collectives) {
  first_has_ended_ = false;
  std::vector<uint32_t> members;
  for (FurtherGpu* gpu : gpus) members.push_back(gpu->position.rank());
  first_.announce({place, collectives, false, 0}, members);
  for (FurtherGpu* gpu : gpus) gpu->monitor->begin_with(place);
  for (FurtherGpu* gpu : gpus)
    if (!std::exchange(gpu->is_served, true)) actions_.serve(*gpu);
}

void ProgramGpus::end() {
  first_has_ended_ = true;
  for (FurtherGpu* gpu : further()) gpu->monitor->end_if_recorded();
}

int ProgramGpus::number_of(const ProgramMonitor& monitor) {
  for (const FurtherGpu* gpu : further())
    if (gpu->monitor.get() == &monitor) return gpu->number;
  return first_number_;
}

std::optional<std::string> ProgramGpus::dependence_of(const ProgramMonitor& monitor) {
  std::vector<ProgramMonitor*> others{&first_};
  for (FurtherGpu* gpu : further()) others.push_back(gpu->monitor.get());
  const int own = number_of(monitor);
  for (ProgramMonitor* other : others) {
    if (other == &monitor) continue;
    if (monitor.waits_for_event_of(*other))
      return fmt::format("waits on GPU {} for an event of GPU {}", own, number_of(*other));
    const Allocations memory = other->allocations();
    for (const Call& call : monitor.iteration().calls())
      if (uses_memory(call, memory))
        return fmt::format("uses memory of GPU {} on GPU {} ({})", number_of(*other), own,
                           readable_name(call));
  }
  return {};
}

}  // namespace kjoule::cuda
