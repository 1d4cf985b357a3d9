#include "cuda/watch/kept_iteration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <variant>

#include "cuda/calls/launch_attributes.hpp"
#include "cuda/calls/make_call.hpp"
#include "cuda/calls/sent_bytes.hpp"
#include "cuda/driver/collective_messages.hpp"
#include "cuda/driver/cupti.hpp"
#include "cuda/driver/nvtx.hpp"
#include "cuda/driver/shared_memory.hpp"
#include "cuda/driver/thread_state.hpp"
#include "cuda/memory/host_room.hpp"
#include "cuda/memory/image_room.hpp"
#include "cuda/watch/program_state.hpp"
#include "device/rank_facts.hpp"

namespace kjoule::cuda {

namespace {

constexpr const char* kOneProcess =
    "let the program use one process, so that no other process works on its memory";

/// Bytes of host memory that are used without checking how much memory is free.
constexpr uint64_t kFewHostBytes = uint64_t{16} << 20;

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

/// Returns a function for the stream that takes the bytes which the device will read from host memory for the
/// program's copy. Returns nothing if `call` already has these bytes.
std::optional<StreamCall> take_sent(const CopyCall& copy, const Call& call, CUstream stream) {
  const auto& kept = std::get<CopyCall>(call.what);
  if (kept.shape.srcMemoryType != CU_MEMORYTYPE_HOST) return {};
  const bool is_unified = copy.shape.srcMemoryType == CU_MEMORYTYPE_UNIFIED;
  const void* from =
      is_unified ? reinterpret_cast<const void*>(copy.shape.srcDevice)  // NOLINT(performance-no-int-to-ptr)
                 : copy.shape.srcHost;
  if (!is_read_by_device(from)) return {};
  return take_when_sent(stream, kept.host, from);
}

/// Returns the end of a message that states why a collective cannot be replayed in one process.
std::string others_clause() {
  const RankFacts facts = read_rank_facts(std::getenv);
  if (const int elsewhere = facts.ranks_elsewhere(); elsewhere > 0)
    return fmt::format("), and {} of the program's {} ranks are on other machines", elsewhere, *facts.ranks);
  return "), and the other processes that take part in it are not paused";
}

/// Returns whether a kernel of NCCL takes its work from a queue that the host fills. Its arguments are the
/// communicator and a mask of channels (8 bytes each), a byte that states where the work is, and more. The
/// byte is 0 for work in the arguments, 1 for work in the queue, and 2 for work in memory of a graph
/// (src/include/device.h of NCCL 2.22 and later). The arguments of earlier versions are shorter.
bool takes_work_from_queue(const std::vector<std::byte>& arguments) {
  constexpr size_t kPlace = 16, kLeastBytes = 32;
  constexpr std::byte kQueue{1};
  return arguments.size() >= kLeastBytes && arguments[kPlace] == kQueue;
}

StreamKind kind_of(CUstream stream) {
  if (stream == nullptr || stream == CU_STREAM_LEGACY) return StreamKind::legacy;
  unsigned flags = 0;
  if (cuStreamGetFlags(stream, &flags) == CUDA_SUCCESS && (flags & CU_STREAM_NON_BLOCKING) != 0)
    return StreamKind::non_blocking;
  return StreamKind::blocking;
}

}  // namespace

void KeptIteration::add(const LaunchView& launch, CUcontext context, ProgramState& state,
                        const Cupti& cupti) {
  thread_state.first_kept = static_cast<uint32_t>(calls_.size());
  try {
    const StreamKind kind = kind_of(launch.stream);
    CUstream stream = identity_of(launch.stream);
    if (launch.stream == CU_STREAM_PER_THREAD) own_streams_[stream] = cupti.stream_id(context, launch.stream);
    if (const auto* graph = std::get_if<GraphView>(&launch.what))
      add_graph(*graph, launch.stream, kind, state);
    else
      add_launch(launch, stream, kind, state);
  } catch (const Error& error) {
    incomplete_ = error.what();
  }
  thread_state.end_kept = static_cast<uint32_t>(calls_.size());
}

void KeptIteration::add_launch(const LaunchView& launch, CUstream stream, StreamKind kind,
                               ProgramState& state) {
  const auto* copy = std::get_if<CopyCall>(&launch.what);
  Call call = copy != nullptr ? make_copy(*copy, launch.stream, state) : make_call(launch, state.functions());
  if (auto* kernel = std::get_if<KernelCall>(&call.what); kernel != nullptr && state.has_stream_attributes())
    add_missing(kernel->attributes, attributes_of_stream(launch.stream));
  const auto number = static_cast<uint32_t>(calls_.size());
  add(std::move(call), stream, dependencies_.add_launch(number, stream, kind));
}

void KeptIteration::add_failure() {
  for (uint32_t number = thread_state.first_kept; number < thread_state.end_kept; ++number)
    failed_.insert(number);
}

void KeptIteration::remove_failed(bool is_closed) {
  if (failed_.empty()) return;
  if (!is_closed || failed_.size() == calls_.size())
    return mark_not_replayable(
        "makes a launch that fails",
        "choose a part of the program in which all launches succeed with --range NAME");
  std::vector<Call> kept;
  // For each launch, the numbers among those that are kept: its own, or if it failed, those for which it
  // waits.
  std::vector<std::vector<uint32_t>> numbers;
  for (uint32_t number = 0; number < calls_.size(); ++number) {
    std::set<uint32_t> waits_for;
    for (const uint32_t before : calls_[number].waits_for)
      waits_for.insert(numbers[before].begin(), numbers[before].end());
    calls_[number].waits_for.assign(waits_for.begin(), waits_for.end());
    if (failed_.contains(number)) {
      numbers.push_back(calls_[number].waits_for);
    } else {
      numbers.push_back({static_cast<uint32_t>(kept.size())});
      kept.push_back(std::move(calls_[number]));
    }
  }
  calls_ = std::move(kept);
  failed_.clear();
}

Call KeptIteration::make_copy(const CopyCall& copy, CUstream stream, ProgramState& state) {
  const uint64_t bytes = host_bytes(copy);
  if (host_bytes_ + bytes > kFewHostBytes) {
    if (!host_room_) host_room_ = host_room().memory;
    if (bytes > *host_room_)
      throw Error(
          fmt::format("it copies at least {} between host and GPU, of which kjoule keeps a copy, and "
                      "the host has no free memory for this copy",
                      size_text(host_bytes_ + bytes)));
    *host_room_ -= bytes;
  }
  host_bytes_ += bytes;
  Call call = make_call({copy, stream}, state.functions());
  if (auto taking = take_sent(copy, call, stream)) before_launch_.push_back(*std::move(taking));
  return call;
}

void KeptIteration::add_graph(const GraphView& graph, CUstream handle, StreamKind kind, ProgramState& state) {
  CUstream stream = identity_of(handle);
  Graphs::Launches launches = state.graphs().launches(graph.graph);
  memory_of_graphs_.insert(memory_of_graphs_.end(), launches.memory.begin(), launches.memory.end());
  host_functions_.add_of_graph(launches.host_functions);
  const auto first = static_cast<uint32_t>(calls_.size());
  const auto waits_for = dependencies_.add_graph(first, launches.waits_for, stream, kind);
  for (size_t i = 0; i < launches.calls.size(); ++i) {
    Call& call = launches.calls[i];
    if (const auto* node = std::get_if<CopyCall>(&call.what)) {
      const CopyCall copy = *node;
      call = make_copy(copy, handle, state);
    }
    call.from_graph = true;
    add(std::move(call), stream, waits_for[i]);
  }
}

void KeptIteration::add(Call call, CUstream stream, std::vector<uint32_t> waits_for) {
  const auto* kernel = std::get_if<KernelCall>(&call.what);
  if (kernel != nullptr) check_collective(*kernel);
  if (copies_or_sets(call, memory_of_graphs_))
    mark_not_replayable(
        "copies or sets memory that a CUDA graph allocates, which a replay cannot do outside this graph",
        "choose a part of the program that does not launch this graph with --range NAME");
  call.stream = stream;
  call.waits_for = std::move(waits_for);
  call.ranges = ranges_of_this_thread();
  if (kernel != nullptr && kernel->function->collective == Collective::nccl)
    call.messages = messages_of_this_thread();
  calls_.push_back(std::move(call));
}

void KeptIteration::check_collective(const KernelCall& kernel) {
  const Function& function = *kernel.function;
  if (function.collective == Collective::none) return;
  const std::string name = kjoule::readable_name(function.name);
  constexpr const char* kRemedy = "choose a part of the program that has no collectives with --range NAME";
  if (function.collective == Collective::symmetric)
    mark_not_replayable("has a collective on symmetric memory (" + name + "), which kjoule does not replay",
                        kRemedy);
  else if (!is_shared_)
    mark_not_replayable("has a collective (" + name + others_clause(), kRemedy);
  else if (takes_work_from_queue(kernel.arguments))
    mark_not_replayable("has a group of so many collectives (" + name +
                            ") that NCCL passes them through a queue, which is not restored",
                        "put fewer collectives into one NCCL group, or launch the group as a CUDA graph");
}

void KeptIteration::add_event(DriverCallKind kind, CUevent event, CUstream stream) {
  if (kind == DriverCallKind::record_event)
    dependencies_.record_event(event, identity_of(stream), kind_of(stream));
  else
    dependencies_.wait_for_event(identity_of(stream), kind_of(stream), event);
}

void KeptIteration::add_host_wait(CUpti_CallbackId id, const void* parameters) {
  const auto awaited = read_awaited(id, parameters);
  if (!awaited) return;
  if (const auto* event = std::get_if<CUevent>(&*awaited))
    dependencies_.host_waits_for_event(*event);
  else if (const auto* stream = std::get_if<CUstream>(&*awaited))
    dependencies_.host_waits_for_stream(identity_of(*stream), kind_of(*stream));
  else
    dependencies_.host_waits_for_all();
}

void KeptIteration::mark_not_replayable(const std::string& what, const char* remedy) {
  if (!not_replayable_) not_replayable_.emplace("the iteration cannot be replayed: it " + what, remedy);
}

void KeptIteration::mark_calls(const char* call) {
  mark_not_replayable(std::string("calls ") + call, "choose another part of the program with --range NAME");
}

void KeptIteration::mark_shared(const SharedMemory& shared) {
  if (const char* call = shared.mapped_by()) {
    const bool of_process = !std::string_view(call).starts_with("cuExternalMemory");
    if (of_process && is_shared_) return;  // the other processes are ranks of the same program
    mark_not_replayable(
        std::string(of_process ? "maps memory of another process (" : "maps memory of another interface (") +
            call + "), which may write it while the launches are replayed",
        of_process ? kOneProcess
                   : "choose with --range NAME a part that the program runs before it maps this memory");
  }
  if (shared.has_event())
    mark_not_replayable("may wait for another process, whose event it has opened (cuIpcOpenEventHandle)",
                        kOneProcess);
}

void KeptIteration::throw_if_incomplete() const {
  if (incomplete_)
    throw Error("the iteration could not be recorded completely: " + *incomplete_,
                "choose another part of the program with --range NAME");
}

}  // namespace kjoule::cuda
