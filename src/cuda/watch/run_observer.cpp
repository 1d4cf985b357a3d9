#include "cuda/watch/run_observer.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/process/fault.hpp"
#include "base/process/quiet_thread.hpp"
#include "cuda/calls/call.hpp"
#include "cuda/calls/launch_identities.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/driver/gpu_uuid.hpp"
#include "cuda/driver/host_time.hpp"
#include "cuda/driver/thread_state.hpp"
#include "device/rank_facts.hpp"
#include "recording/activity.hpp"

namespace kjoule::cuda {
namespace {

constexpr auto kFlushPause = std::chrono::seconds(1);
/// Longest time for which a thread of the program waits until the activity records are opened or closed.
constexpr auto kPatience = std::chrono::seconds(1);

/// Returns a number for a handle; equal handles have equal numbers.
uint32_t number_of(const void* handle) {
  return static_cast<uint32_t>(XXH3_64bits(&handle, sizeof handle));
}

/// Returns whether one end of a copy may be host memory.
bool may_be_of_host(const CopyCall& copy) {
  return copy.shape.srcMemoryType != CU_MEMORYTYPE_DEVICE || copy.shape.dstMemoryType != CU_MEMORYTYPE_DEVICE;
}

/// Returns an entry for a call that this thread makes now.
HostCall call_now(HostCallKind kind) {
  HostCall call;
  call.time_ns = now_ns();
  call.thread = static_cast<uint32_t>(gettid());
  call.kind = kind;
  return call;
}

LoggedName name_of(const LaunchView& view, ProgramState& state) {
  LoggedName name;
  name.identity = launch_identity(view, state.functions(), state.graphs());
  if (const auto* kernel = std::get_if<KernelView>(&view.what)) {
    name.name = kjoule::readable_name(state.functions().get(kernel->function)->name);
    name.grid.assign(kernel->grid.begin(), kernel->grid.end());
    name.block.assign(kernel->block.begin(), kernel->block.end());
    name.shared_bytes = kernel->shared_bytes;
  } else if (std::holds_alternative<GraphView>(view.what)) {
    name.name = "graph";
  } else {
    name.name = std::holds_alternative<CopyCall>(view.what) ? "memcpy" : "memset";
  }
  return name;
}

std::string copy_name(const CUpti_ActivityMemcpy6& copy) {
  switch (copy.copyKind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return copy.srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ? "memcpy HtoD (pageable)" : "memcpy HtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return copy.dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ? "memcpy DtoH (pageable)" : "memcpy DtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "memcpy DtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "memcpy PtoP";
    default:
      return "memcpy";
  }
}

OperationKind copy_kind(const CUpti_ActivityMemcpy6& copy) {
  if (copy.srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ||
      copy.dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE)
    return OperationKind::staged_transfer;
  return copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD || copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH
             ? OperationKind::transfer
             : OperationKind::copy;
}

/// A device operation and its name. The name of a kernel is as CUPTI reports it, mangled or not.
struct NamedOperation {
  DeviceOperation operation;
  LoggedName name;
};

template <typename Record>
NamedOperation read(const Record& record, OperationKind kind) {
  NamedOperation read;
  read.operation.begin_ns = static_cast<int64_t>(record.start);
  read.operation.end_ns = static_cast<int64_t>(record.end);
  read.operation.correlation = record.correlationId;
  read.operation.stream = record.streamId;
  read.operation.device = static_cast<uint16_t>(record.deviceId);
  read.operation.kind = kind;
  return read;
}

NamedOperation read_kernel(const CUpti_ActivityKernel10& kernel) {
  NamedOperation named = read(kernel, OperationKind::kernel);
  const auto unsigned_of = [](int32_t value) { return static_cast<uint32_t>(value); };
  named.name.name = kernel.name != nullptr ? kernel.name : "";
  named.name.grid = {unsigned_of(kernel.gridX), unsigned_of(kernel.gridY), unsigned_of(kernel.gridZ)};
  named.name.block = {unsigned_of(kernel.blockX), unsigned_of(kernel.blockY), unsigned_of(kernel.blockZ)};
  named.name.shared_bytes = unsigned_of(kernel.dynamicSharedMemory);
  return named;
}

std::optional<NamedOperation> read_record(const CUpti_Activity& record) {
  if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
    return read_kernel(reinterpret_cast<const CUpti_ActivityKernel10&>(record));
  if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
    NamedOperation named = read(copy, copy_kind(copy));
    named.operation.bytes = copy.bytes;
    named.name.name = copy_name(copy);
    return named;
  }
  if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    const auto& set = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
    NamedOperation named = read(set, OperationKind::set);
    named.operation.bytes = set.bytes;
    named.name.name = "memset";
    return named;
  }
  return {};
}

/// Returns a key that is equal for operations with equal name and size. The characters of the name are
/// compared, because CUPTI may store equal names at several addresses.
uint64_t key_of(const LoggedName& name) {
  uint64_t key = XXH3_64bits(name.name.data(), name.name.size());
  for (const auto* sizes : {&name.grid, &name.block})
    key = XXH3_64bits_withSeed(sizes->data(), sizes->size() * sizeof(uint32_t), key);
  return XXH3_64bits_withSeed(&name.shared_bytes, sizeof name.shared_bytes, key);
}

}  // namespace

std::filesystem::path log_folder_of_process(const std::filesystem::path& folder) {
  const auto own = folder / std::to_string(getpid());
  std::filesystem::create_directories(own);
  return own;
}

void RunObserver::start(Cupti& cupti) {
  log_.add(LoggedProcess{getpid(), read_rank_facts([](const char* name) { return std::getenv(name); }).rank});
  {
    const MutexLock lock(records_mutex_);
    open_records(cupti);
  }
  start_quiet_thread([this, &cupti] { keep_records(cupti); }).detach();
}

void RunObserver::want_records(bool wanted) {
  if (wanted_ == wanted && open_ == wanted) return;
  MutexLock lock(records_mutex_);
  wanted_ = wanted;
  changed_.notify_all();
  changed_.wait_for(lock.to_wait(), kPatience, [&] { return open_ == wanted || failed_ || finished_; });
}

/// Opens and closes the activity records as requested, and regularly collects CUPTI's records.
void RunObserver::keep_records(const Cupti& cupti) {
  thread_state.exempt = true;
  MutexLock lock(records_mutex_);
  while (!finished_ && !failed_) {
    changed_.wait_for(lock.to_wait(), kFlushPause, [&] { return finished_ || wanted_ != open_; });
    if (finished_) return;
    attempt([&]() KJOULE_REQUIRES(records_mutex_) {
      if (open_) log_clocks(cupti);
      if (wanted_ == open_)
        flush(false);
      else if (wanted_)
        open_records(cupti);
      else
        close_records();
    });
    changed_.notify_all();
  }
}

void RunObserver::open_records(const Cupti& cupti) {
  records_ = std::make_unique<ActivityRecords>(
      cupti, [this](const CUpti_Activity& record) { attempt([&] { on_operation(record); }); });
  records_->enable();
  open_ = true;
  log_clocks(cupti);
}

/// Logs one point in time on both clocks, by the fastest of several attempts. Without this entry, only the
/// host's part in copies is not available.
void RunObserver::log_clocks(const Cupti& cupti) {
  constexpr int kAttempts = 5;
  const auto device_now = cupti.find<decltype(cuptiGetTimestamp)>("cuptiGetTimestamp");
  int64_t least_ns = std::numeric_limits<int64_t>::max();
  LoggedClocks best;
  for (int i = 0; i < kAttempts; ++i) {
    uint64_t device_ns = 0;
    const int64_t before_ns = now_ns();
    if (device_now(&device_ns) != CUPTI_SUCCESS) return;
    const int64_t took_ns = now_ns() - before_ns;
    if (took_ns >= least_ns) continue;
    least_ns = took_ns;
    best = {before_ns + took_ns / 2, static_cast<int64_t>(device_ns)};
  }
  log_.add(best);
}

void RunObserver::close_records() {
  flush(true);
  records_->disable();
  records_.reset();
  log_.flush();  // so that kjoule can read it while the program is paused
  open_ = false;
}

void RunObserver::flush(bool forced) {
  if (records_ == nullptr) return;
  records_->flush(forced);
  log_.add_dropped_operations(records_->take_dropped());
}

void RunObserver::finish() {
  thread_state.exempt = true;
  if (finished_.exchange(true)) return;
  const MutexLock lock(records_mutex_);
  attempt([&]() KJOULE_REQUIRES(records_mutex_) {
    flush(true);
    log_.finish();
  });
}

template <typename Step>
void RunObserver::attempt(const Step& step) {
  if (failed_) return;
  try {
    step();
  } catch (const std::exception& error) {
    if (!failed_.exchange(true))
      std::fprintf(stderr, "kjoule: the log of the program's launches is incomplete from now on: %s\n",
                   fault_of(error).line().c_str());
  }
}

void RunObserver::on_enter(const CUpti_CallbackData& data, const ProgramState::Effect& effect,
                           ProgramState& state) {
  attempt([&] {
    if (effect.launch) on_launch(*effect.launch, data.correlationId, state);
    if (!effect.freed.empty()) add_call(HostCallKind::free, 0);
  });
}

void RunObserver::on_success(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  attempt([&] {
    if (const uint32_t copy = std::exchange(thread_state.copying, 0);
        copy == data.correlationId && copy != 0) {
      HostCall end = call_now(HostCallKind::copy_end);
      end.correlation = copy;
      log_.add(end);
    }
    if (waits_for_device(id)) add_call(HostCallKind::synchronise, 0);
    if (driver_call_kind(id) != DriverCallKind::allocate) return;
    const Allocation allocation = read_allocation(id, data.functionParams);
    if (allocation.kind != MemoryKind::host) add_call(HostCallKind::allocate, 0, allocation.bytes);
  });
}

void RunObserver::on_launch(const SeenLaunch& launch, uint32_t correlation, ProgramState& state) {
  log_devices();
  const LaunchView& view = launch.view;
  HostCall call =
      call_now(std::holds_alternative<GraphView>(view.what) ? HostCallKind::graph : HostCallKind::launch);
  call.correlation = correlation;
  call.stream = number_of(identity_of(view.stream));
  call.operations = static_cast<uint32_t>(launch.launches);
  CUdevice device = 0;
  if (sees_several_ && cuCtxGetDevice(&device) == CUDA_SUCCESS) call.device = static_cast<uint16_t>(device);
  call.value = launch.address_hash;
  if (const auto* copy = std::get_if<CopyCall>(&view.what); copy != nullptr && may_be_of_host(*copy))
    thread_state.copying = correlation;
  call.name = log_.number_of_call(launch.key(), [&] { return name_of(view, state); });
  log_.add(call);
  if (!open_) log_.add_dropped_operations(call.operations);
}

void RunObserver::log_devices() {
  if (devices_logged_.exchange(true)) return;
  try {
    int count = 0;
    KJOULE_CU(cuDeviceGetCount(&count));
    sees_several_ = count > 1;
    for (int number = 0; number < count; ++number) {
      CUdevice device = 0;
      KJOULE_CU(cuDeviceGet(&device, number));
      log_.add(LoggedDevice{static_cast<uint32_t>(number), gpu_uuid(device)});
    }
  } catch (const Error&) {
    // The log is usable without the devices; only the energy of the run cannot be attributed.
  }
}

void RunObserver::on_operation(const CUpti_Activity& record) {
  auto named = read_record(record);
  if (!named) return;
  // A forced flush also delivers operations that are still running, without their times.
  if (named->operation.end_ns == 0) return log_.add_dropped_operations(1);
  named->operation.name = log_.number_of_operation(key_of(named->name), [&] {
    named->name.name =
        kjoule::readable_name(named->name.name);  // once per kernel, because it takes microseconds
    return named->name;
  });
  log_.add(named->operation);
}

void RunObserver::add_call(HostCallKind kind, uint32_t name, uint64_t value) {
  HostCall call = call_now(kind);
  call.value = value;
  call.name = name;
  log_.add(call);
}

void RunObserver::begin_range(std::string_view name) {
  add_range(HostCallKind::range_begin, name);
}

void RunObserver::end_range(std::string_view name) {
  add_range(HostCallKind::range_end, name);
}

void RunObserver::add_range(HostCallKind kind, std::string_view name) {
  const uint64_t key = XXH3_64bits(name.data(), name.size());
  add_call(kind, log_.number_of_call(key, [&] {
    LoggedName range;
    range.name = name;
    return range;
  }));
}

}  // namespace kjoule::cuda
