#include "cuda/replay/cuda_device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <thread>
#include <utility>

#include "base/bug_remedy.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
#include "cuda/calls/recorded_launches.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/driver/gpu_uuid.hpp"
#include "cuda/memory/image_room.hpp"
#include "cuda/memory/managed_memory.hpp"
#include "cuda/ranks/rank_peers.hpp"
#include "cuda/ranks/resting_place.hpp"
#include "cuda/replay/collectives_track.hpp"
#include "cuda/replay/empty_kernels_track.hpp"
#include "cuda/replay/observed_iteration.hpp"
#include "cuda/replay/overlapped_track.hpp"
#include "cuda/replay/stamped_track.hpp"
#include "cuda/replay/steady_track.hpp"
#include "cuda/session/make_session.hpp"
#include "device/rank_facts.hpp"

namespace kjoule::cuda {

nlohmann::json describe_current_gpu() {
  CUdevice device = 0;
  KJOULE_CU(cuCtxGetDevice(&device));
  std::array<char, 256> name{};
  KJOULE_CU(cuDeviceGetName(name.data(), static_cast<int>(name.size()), device));
  int driver = 0;
  int processors = 0;
  int l2_bytes = 0;
  KJOULE_CU(cuDriverGetVersion(&driver));
  KJOULE_CU(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  KJOULE_CU(cuDeviceGetAttribute(&l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device));
  return {{"kind", "cuda"},           {"title", name.data()},          {"name", name.data()},
          {"uuid", gpu_uuid(device)}, {"cuda_driver_version", driver}, {"multiprocessors", processors},
          {"l2_bytes", l2_bytes}};
}

namespace {

/// Number of pages (64 KiB) on each side of a changed page that the next iteration may change, too.
constexpr unsigned kNeighbours = 16;
/// Largest number of iterations that the program runs to find the pages that it changes, before an iteration
/// is replayed that has changed other pages.
constexpr int kMostLearnt = 3;
/// The same limit if the replay gives other results because the contents of these other pages at the
/// beginning are unknown.
constexpr int kMostGuessed = 12;
constexpr auto kLookAtBoard = std::chrono::milliseconds(1);
/// Longest time without launches that does not count in the search for a loop, as a multiple of the time of
/// the search: the program compiles its kernels or loads data.
constexpr double kLongestIdle = 3;
constexpr const char* kOtherNotRestored = "the memory of another rank could not be restored";
constexpr const char* kHasArrays = "uses CUDA arrays, whose contents kjoule cannot restore";

/// Returns the host times of the iterations that the program itself ran.
nlohmann::json passed_iterations_json(const std::vector<IterationSpan>& iterations) {
  std::vector<double> iteration_s;
  iteration_s.reserve(iterations.size());
  for (const auto& span : iterations)
    iteration_s.push_back(static_cast<double>(span.end_ns - span.begin_ns) * 1e-9);
  const int64_t now_ns = SteadyClock().now_ns();
  return {{"iteration_s", iteration_s},
          {"begin_ns", iterations.empty() ? now_ns : iterations.front().begin_ns},
          {"end_ns", iterations.empty() ? now_ns : iterations.back().end_ns}};
}

/// Returns the device number of the current context's GPU; nothing if the process sees no other GPU.
std::optional<int> current_gpu_if_several() {
  int count = 0;
  CUdevice device = 0;
  KJOULE_CU(cuDeviceGetCount(&count));
  KJOULE_CU(cuCtxGetDevice(&device));
  return count > 1 ? std::optional(device) : std::nullopt;
}

size_t count_collectives(const std::vector<Call>& calls) {
  return static_cast<size_t>(std::ranges::count_if(calls, [](const Call& call) {
    const auto* kernel = std::get_if<KernelCall>(&call.what);
    return kernel != nullptr && kernel->function->collective != Collective::none;
  }));
}

double bytes_a_launch(const std::vector<Call>& calls) {
  size_t bytes = 0;
  for (const Call& call : calls) bytes += bookkeeping_bytes(call);
  return static_cast<double>(bytes) / static_cast<double>(calls.size());
}

/// Returns the memory that the iteration could use: allocations of the program, and memory that the
/// iteration's graphs allocate.
Allocations memory_of_iteration(ProgramMonitor& monitor) {
  std::vector<Allocation> ranges = monitor.memory();
  ranges.insert(ranges.end(), monitor.iteration().memory_of_graphs().begin(),
                monitor.iteration().memory_of_graphs().end());
  Allocations memory;
  for (const Allocation& range : merge_overlaps(std::move(ranges))) memory.add(range);
  return memory;
}

double mebibytes(uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

/// Returns a clause about managed memory; an empty text if the program has none.
std::string managed_text(uint64_t bytes) {
  if (bytes == 0) return {};
  return fmt::format("; while it is replayed, {:.3g} MiB of managed memory stay on the GPU",
                     mebibytes(bytes));
}

/// Returns a clause about managed memory that could not be moved; an empty text if all was moved.
std::string unmoved_text(const UnmovedMemory& unmoved) {
  if (unmoved.bytes == 0) return {};
  return fmt::format(
      "; {:.3g} MiB of managed memory were not moved to the GPU (cuMemPrefetchAsync: {}): kernels that use "
      "it may wait for the host's memory",
      mebibytes(unmoved.bytes), unmoved.why);
}

/// Returns a clause about host functions; an empty text if the iteration has none.
std::string host_function_text(const HostFunctions& functions) {
  const auto counted = [](size_t count) {
    return fmt::format("; {} host function{}", count, count == 1 ? "" : "s");
  };
  std::string text;
  if (const size_t count = functions.in_streams(); count > 0)
    text += fmt::format(
        "{} in its streams (cudaLaunchHostFunc){} {} not replayed; {} time is part of the launch gaps",
        counted(count),
        functions.seconds() ? fmt::format(", {:.3g} us in total,", *functions.seconds() * 1e6) : "",
        count == 1 ? "is" : "are", count == 1 ? "its" : "their");
  if (const size_t count = functions.in_graphs(); count > 0)
    text += fmt::format("{} in its CUDA graphs {} not replayed", counted(count), count == 1 ? "is" : "are");
  return text;
}

bool overlaps(const std::vector<Call>& calls) {
  std::vector<std::vector<uint32_t>> after;
  after.reserve(calls.size());
  for (const Call& call : calls) after.push_back(call.waits_for);
  return may_overlap(after);
}

/// Adjusts the edges of a window so that a stamp may be placed before and after its measured launches. No
/// stamp can be placed before a launch that may begin before its predecessor has ended. Such launches at the
/// beginning of the measured part are moved to the lead, and at the beginning of the tail to the measured
/// part.
WindowEdges between_stamps(const std::vector<Launch>& launches, WindowEdges edges) {
  if (edges.is_closed()) return edges;
  if (edges.lead + edges.tail >= launches.size())
    throw Error(fmt::format("the window has {} launches, but they only precede or follow its measured part, "
                            "which is empty",
                            launches.size()),
                "choose a longer part of the program with --iterations");
  const auto starts_early = [&](size_t launch) {
    return launches[launch].detail.value("programmatic", false);
  };
  while (edges.tail > 0 && starts_early(launches.size() - edges.tail)) --edges.tail;
  while (edges.lead + edges.tail + 1 < launches.size() && starts_early(edges.lead)) ++edges.lead;
  return edges;
}

}  // namespace

Recording recording_of(ProgramMonitor& monitor, const nlohmann::json& device) {
  Recording recording;
  recording.program = {
      {"seen", passed_iterations_json(monitor.passed_iterations())},
      {"iteration", monitor.describe_iteration() + managed_text(monitor.held().managed_bytes) +
                        host_function_text(monitor.iteration().host_functions())},
      {"overlaps", overlaps(monitor.iteration().calls())},
      {"bytes_a_launch", bytes_a_launch(monitor.iteration().calls())}};
  if (const auto loop = monitor.loop())
    recording.program["loop"] = {{"first", loop->first}, {"length", loop->length}};
  if (const auto window = monitor.window())
    recording.program["window"] = {{"first", window->first}, {"end", window->end}};
  if (const auto phase = monitor.phase()) recording.program["phase"] = *phase;
  recording.device = device;
  recording.launches = to_launches(monitor.iteration().calls(), memory_of_iteration(monitor));
  recording.edges = between_stamps(recording.launches, monitor.edges());
  if (!recording.edges.is_closed()) recording.program["overlaps"] = false;  // its lead and tail would count
  return recording;
}

namespace {

/// Raises each function's limit of dynamic shared memory to the largest size that a recorded launch needs.
/// The program sets this limit, and libraries change it between launches.
void allow_shared_memory(const std::vector<Call>& calls) {
  std::map<CUfunction, int> needed;
  for (const Call& call : calls)
    if (const auto* kernel = std::get_if<KernelCall>(&call.what)) {
      int& bytes = needed[kernel->function->handle];
      bytes = std::max(bytes, static_cast<int>(kernel->shared_bytes));
    }
  CUdevice device = 0;
  KJOULE_CU(cuCtxGetDevice(&device));
  constexpr CUfunction_attribute kLimit = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  for (const auto& [function, bytes] : needed) {
    int limit = 0;
    auto* kernel = reinterpret_cast<CUkernel>(function);
    if (cuFuncGetAttribute(&limit, kLimit, function) == CUDA_SUCCESS) {
      if (limit < bytes) KJOULE_CU(cuFuncSetAttribute(function, kLimit, bytes));
    } else if (cuKernelGetAttribute(&limit, kLimit, kernel, device) == CUDA_SUCCESS && limit < bytes) {
      KJOULE_CU(cuKernelSetAttribute(kLimit, bytes, kernel, device));
    }
  }
}

/// Page-locks kjoule's host ends of copies, so that the device accesses them directly.
void pin(const std::vector<Call>& calls, std::vector<std::vector<std::byte>*>& pinned) {
  for (const Call& call : calls) {
    const auto* copy = std::get_if<CopyCall>(&call.what);
    if (copy == nullptr || !copy->host || copy->host->empty()) continue;
    if (cuMemHostRegister(copy->host->data(), copy->host->size(), 0) == CUDA_SUCCESS)
      pinned.push_back(copy->host.get());
  }
}

/// Returns whether the program's own iterations take less time than the device needs for the recorded
/// iteration. Then the launches that were timed are not one iteration. Reports this on stderr.
bool contradicts_program_time(const ObservedIteration& observed, const ProgramMonitor& monitor) {
  // The comparison is invalid if lead and tail were recorded, too, or if the host did not wait for the
  // device.
  if (!monitor.edges().is_closed() || monitor.runs_ahead()) return false;
  std::vector<double> own_s;
  for (const IterationSpan& span : monitor.passed_iterations())
    own_s.push_back(static_cast<double>(span.end_ns - span.begin_ns) * 1e-9);
  const std::optional<TimelineTotals> totals = observed.totals();
  if (own_s.empty() || !totals || !totals->contradict(median(own_s))) return false;
  std::fprintf(stderr,
               "kjoule: the launches that repeat every %.1f us take %.1f us of GPU time, so they cannot be "
               "one iteration; the search continues\n",
               median(own_s) * 1e6, static_cast<double>(totals->busy_ns) * 1e-3);
  return true;
}

}  // namespace

CudaDevice::CudaDevice(ProgramMonitor& monitor, Program afterwards, RankPosition* position)
    : monitor_(monitor), afterwards_(afterwards), position_(position) {
  KJOULE_CU(cuCtxSetCurrent(monitor_.wait_for_context()));
  info_.description = describe_current_gpu();
  info_.keeps_timeline = true;
  info_.description["cupti"] = monitor_.cupti().path();
  if (position_ != nullptr) {
    info_.rank = read_rank_facts(std::getenv);
    info_.rank.gpu = current_gpu_if_several();
    info_.rank.board = position_->rank();
  }
}

CudaDevice::~CudaDevice() {
  forget_iteration();
  if (capture_stream_ != nullptr) cuStreamDestroy(capture_stream_);
}

Recording CudaDevice::record() {
  bool may_search_again = true;
  for (bool was_paused = false;;) {
    monitor_.wait_for_begin();
    if (afterwards_ == Program::stays && monitor_.held().arrays > 0)
      throw Error("the program " + std::string(kHasArrays),
                  "let kjoule start the program and end it afterwards: kjoule compare -- PROGRAM");
    meet_peers();
    prepare_to_record();
    if (!std::exchange(was_paused, true)) paused_since_ns_ = SteadyClock().now_ns();
    Snapshot snapshot = take_snapshot();
    observed_->begin();
    peers_->meet();  // after this, other ranks may change the memory of this one
    const bool is_kept = monitor_.record_iteration();
    if (peers_->any(!is_kept)) {
      if (is_kept) monitor_.search_again();
      was_paused = false;
      continue;
    }
    throw_if_not_replayable();
    pause_program();
    if (!peers_->exist() && std::exchange(may_search_again, false) &&
        contradicts_program_time(*observed_, monitor_) && monitor_.search_again()) {
      was_paused = false;
      continue;
    }
    if (!peers_->any(has_more_to_learn(snapshot))) {
      keep_memory(std::move(snapshot));
      if (!has_begun_otherwise()) break;
    }
    monitor_.record_next();
  }
  if (afterwards_ == Program::ends) end_.reset();
  return recording();
}

std::optional<Recording> CudaDevice::follow() {
  monitor_.follow();
  RankBoard& board = position_->board();
  while (board.decision() == RankBoard::Decision::none) std::this_thread::sleep_for(kLookAtBoard);
  if (board.decision() != RankBoard::Decision::cut) return {};
  return record();
}

bool CudaDevice::is_among_ranks() const {
  if (position_ == nullptr || position_->board().followers() == 0) return false;
  return info_.rank.ranks.value_or(1) > 1 || position_->board().most_collectives() > 0;
}

void CudaDevice::meet_peers() {
  if (!monitor_.is_shared()) return;
  KJOULE_CU(cuCtxSetCurrent(monitor_.wait_for_context()));
  RankBoard& board = position_->board();
  if (board.cut().is_of_own_loops)
    come_to_rest(board, position_->rank(), [&] {
      monitor_.record_next();
      monitor_.wait_for_begin();
    });
  if (peers_->exist()) return;
  peers_ = std::make_unique<RankPeers>(position_->board(), position_->rank());
}

void CudaDevice::throw_if_not_replayable() {
  monitor_.mark_dependence();
  const std::optional<Error>& own = monitor_.iteration().not_replayable();
  if (!peers_->any(own.has_value())) return;
  throw own ? *own : Error(kAnotherRankFailed, "see the error of that rank");
}

std::optional<Recording> CudaDevice::record_window(const WindowSearch& search) {
  was_searched_for_ = true;
  if (!search.place && search.loops.empty()) {
    if (!monitor_.wait_for_begin(search.patience_s, kLongestIdle * search.patience_s,
                                 [&] { return is_among_ranks(); }))
      return {};
    return record();
  }
  const auto make = [&](uint64_t launches) { return make_session(search, launches); };
  if (!monitor_.look_for(make, search.patience_s)) return {};
  prepare_to_record();
  paused_since_ns_ = SteadyClock().now_ns();
  try {
    Snapshot snapshot = take_snapshot();
    observed_->begin();
    if (!monitor_.record_iteration()) {
      monitor_.run_on();
      return {};
    }
    throw_if_not_replayable();
    pause_program();
    keep_memory(std::move(snapshot));
  } catch (const DeviceError& error) {
    if (!error.lost) run_on_unrecorded();
    throw;
  } catch (const Error&) {
    run_on_unrecorded();
    throw;
  }
  return recording();
}

void CudaDevice::run_on_unrecorded() {
  forget_iteration();
  if (!monitor_.is_released()) monitor_.run_on();
}

void CudaDevice::prepare_to_record() {
  KJOULE_CU(cuCtxSetCurrent(monitor_.wait_for_context()));
  peers_->drain();
  load_kernels();
  replay_stream_ = monitor_.busiest_stream();
  observed_.emplace(monitor_.cupti(), monitor_.gpu_if_several());
}

Recording CudaDevice::recording() {
  Recording recording = recording_of(monitor_, info_.description);
  edges_ = recording.edges;
  recording.program["iteration"] = recording.program["iteration"].get<std::string>() +
                                   unmoved_text(unmoved_) + images_clause(snapshot().images());
  recording.program["paused_ns"] = paused_since_ns_;
  if (const auto gpu = monitor_.gpu_if_several()) recording.program["gpu"] = *gpu;
  if (peers_->exist()) {
    recording.program["ranks"] = position_->board().members();
    recording.program["process"] = getpid();
    // The program is paused where its next iteration begins.
    const RankPlace& next = position_->place();
    recording.program["place"] = {
        {"collectives", next.collectives - count_collectives(monitor_.iteration().calls())},
        {"calls", next.calls}};
  }
  const ClockSteps steps = stamps_->measure_clock_steps();
  recording.program["clock_step_ns"] = steps.shortest_ns;
  recording.program["clock_mean_step_ns"] = steps.mean_ns;
  return recording;
}

void CudaDevice::load_kernels() {
  if (kernels_) return;
  kernels_ = std::make_unique<PageKernels>();
  clocks_ = std::make_unique<ClockKernel>();
  stamps_ = std::make_unique<StampKernels>();
  gate_ = std::make_unique<Gate>();
  KJOULE_CU(cuStreamCreate(&capture_stream_, CU_STREAM_NON_BLOCKING));
}

Snapshot CudaDevice::take_snapshot() {
  const std::vector<Allocation> allocations = monitor_.memory();
  unmoved_ = make_resident(allocations, replay_stream_);
  Snapshot snapshot(*kernels_, allocations);
  const PagedMemory& memory = snapshot.memory();
  const PageSet all = PageSet::range(0, memory.pages());
  const uint64_t room = ImageRoom().device;
  // A program that must continue needs a snapshot of all its memory: replays may change pages that were not
  // predicted, and these changes could not be undone.
  if (memory.bytes_of(all) <= room || afterwards_ == Program::stays || !monitor_.can_record_next()) {
    snapshot.take(all, "the program's memory", replay_stream_);
    return snapshot;
  }
  PageSet predicted = learnt_.predict(memory, kNeighbours);
  if (memory.bytes_of(predicted) > room) predicted = learnt_.predict(memory, 1);
  snapshot.take(predicted, "the memory that the iteration changes", replay_stream_);
  return snapshot;
}

bool CudaDevice::has_more_to_learn(Snapshot& snapshot) {
  if (snapshot.unsaved().empty()) return false;
  const std::vector<uint64_t> now = snapshot.memory().hashes(replay_stream_);
  const PageSet changed = snapshot.changed(now);
  snapshot.save_from_twins(changed, now, replay_stream_);
  learnt_.add(snapshot.memory(), changed);
  if (subtract(changed, snapshot.images().pages()).empty()) return false;
  return learnt_.iterations() <= kMostLearnt;
}

bool CudaDevice::has_begun_otherwise() {
  if (!peers_->any(begin_is_guessed_)) return false;
  if (!peers_->any(!memory_state().verification().different.empty())) return false;
  if (peers_->exist()) return false;  // the report lists the launches whose results differ
  if (learnt_.iterations() >= kMostGuessed) return false;
  if (!end_ || !end_->restore(snapshot(), replay_stream_).empty()) {
    memory_state().restore_all(replay_stream_);
    return false;
  }
  forget_iteration();
  return true;
}

void CudaDevice::pause_program() {
  monitor_.pause_at_every_call();
  peers_->drain();
  observed_->end(monitor_);
}

void CudaDevice::keep_memory(Snapshot snapshot) {
  CUstreamCaptureMode relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
  KJOULE_CU(cuThreadExchangeStreamCaptureMode(&relaxed));
  const std::vector<Allocation> allocated = monitor_.memory();
  // Memory that graphs allocate stays allocated. Two graphs may map the same memory at different addresses.
  const std::vector<Allocation> of_graphs =
      subtract(merge_overlaps(monitor_.iteration().memory_of_graphs()), merge_overlaps(allocated));
  unmoved_ = make_resident(allocated, replay_stream_);
  const PageSet fresh = unite(snapshot.add(allocated), snapshot.add(of_graphs));
  MemoryDigest end(snapshot.memory(), replay_stream_);
  end.of_graphs = of_graphs;
  // The contents of new memory at the beginning do not matter, because the program found arbitrary values
  // there. The contents of changed pages that were not predicted are unknown: the verification shows whether
  // the replay may begin with their contents of the end.
  const PageSet unknown = subtract(snapshot.changed(end.hashes), snapshot.images().pages());
  begin_is_guessed_ = !unknown.empty();
  snapshot.adopt(unite(unknown, fresh), end.hashes, replay_stream_);
  // First the memory at the beginning: leave() needs it once the end is kept, even if the next steps fail.
  auto& [begin, after] = iteration_memory_.emplace(IterationMemory{std::move(snapshot), std::move(end)});
  if (afterwards_ != Program::ends || begin_is_guessed_) keep_end(begin, after);
  pin(monitor_.iteration().calls(), pinned_);
  allow_shared_memory(monitor_.iteration().calls());
  peers_->meet_in(replay_stream_);  // wait until they have described their memory, too
  begin.restore(replay_stream_);
}

void CudaDevice::keep_end(const Snapshot& snapshot, const MemoryDigest& end) {
  try {
    end_.emplace(*kernels_, snapshot, end, replay_stream_);
  } catch (const Error& error) {
    const auto* of_device = dynamic_cast<const DeviceError*>(&error);
    if ((of_device != nullptr && of_device->lost) || afterwards_ == Program::stays) throw;
    end_not_kept_ =
        std::string("a copy of the memory that its iteration changed could not be kept: ") + error.what();
  }
}

MemoryState& CudaDevice::memory_state() {
  if (memory_state_) return *memory_state_;
  if (!iteration_memory_) throw Error("nothing has been recorded yet", kBugRemedy);
  memory_state_ = std::make_unique<MemoryState>(*kernels_, *peers_, iteration_memory_->begin,
                                                monitor_.iteration().calls(), edges_, iteration_memory_->end,
                                                replay_stream_);
  return *memory_state_;
}

const WriteSets& CudaDevice::write_sets() {
  if (write_sets_) return *write_sets_;
  const std::vector<Call>& calls = monitor_.iteration().calls();
  memory_state().save_written(calls, replay_stream_);
  write_sets_ = std::make_unique<WriteSets>(*kernels_, memory_state(), calls, replay_stream_);
  return *write_sets_;
}

ReplayContext CudaDevice::bare_replay_context() const {
  if (!iteration_memory_) throw Error("nothing has been recorded yet", kBugRemedy);
  return {monitor_.iteration().calls(),
          edges_.is_closed(),
          nullptr,
          nullptr,
          nullptr,
          *kernels_,
          *clocks_,
          *stamps_,
          *gate_,
          *peers_,
          capture_stream_,
          replay_stream_};
}

ReplayContext CudaDevice::replay_context() {
  ReplayContext context = bare_replay_context();
  context.memory = &memory_state();
  context.memory->settle(replay_stream_);
  return context;
}

Verification CudaDevice::verify() {
  return memory_state().verification();
}

std::vector<CollectiveTimes> CudaDevice::time_collectives(int repeats) {
  CollectivesTrack track(replay_context());
  std::vector<CollectiveTimes> times;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    times.push_back(track.replay());
    peers_->advance();
  }
  return times;
}

std::unique_ptr<Track> CudaDevice::open(const TrackSpec& spec) {
  if (std::holds_alternative<Iteration>(spec))
    throw Error("a paused program cannot run its own iteration again", kBugRemedy);
  if (std::holds_alternative<Sequence>(spec)) throw Error("a GPU's launches are timed by stamps", kBugRemedy);
  if (const auto* stamped = std::get_if<StampedWork>(&spec))
    return std::make_unique<StampedTrack>(replay_context(), *stamped);
  if (const auto* empty = std::get_if<EmptyKernels>(&spec))
    return std::make_unique<EmptyKernelsTrack>(bare_replay_context(), *empty);
  if (const auto* steady = std::get_if<SteadyWork>(&spec)) return open_steady(*steady);
  return std::make_unique<OverlappedTrack>(replay_context());
}

std::unique_ptr<Track> CudaDevice::open_steady(const SteadyWork& work) {
  if (!work.only.empty()) {
    if (!snapshot().unsaved().empty())
      memory_state().save_written(monitor_.iteration().calls(), replay_stream_);
    if (memory_state_) memory_state_->take_note_of_changes();
    return std::make_unique<SteadyTrack>(bare_replay_context(), work);
  }
  ReplayContext context = replay_context();
  if (!context.memory->restores_within_graphs() && (!work.marked.empty() || work.plain == 0))
    throw Error(
        fmt::format("the iteration changes {} of memory, and the GPU has no free memory for copies of it: "
                    "restoring it from the host's memory would change the power that is measured",
                    size_text(context.memory->snapshot().memory().bytes_of(context.memory->net_changed()))),
        "let the program use less memory, for example with a smaller batch");
  if (!work.marked.empty()) context.write_sets = &write_sets();
  if (work.flushed && !flush_) flush_ = std::make_unique<CacheFlush>(*kernels_);
  context.flush = flush_.get();
  return std::make_unique<SteadyTrack>(context, work);
}

std::optional<Observation> CudaDevice::observe() {
  const ReplayContext context = replay_context();
  Observation observation = observed_->observation();
  try {
    TimesInWhole times = times_in_whole(context, observed_->log());
    observation.launch_s = std::move(times.launch_s);
    observation.replay_gaps_s = times.gaps_s;
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) {
    observation.launch_s_missing = error.what();
  }
  return observation;
}

const Snapshot& CudaDevice::snapshot() const {
  return iteration_memory_->begin;
}

std::string CudaDevice::leave() {
  if (afterwards_ == Program::ends) return "its memory was not copied completely when it was recorded";
  if (!end_) return end_not_kept_.empty() ? "no iteration of it was recorded" : end_not_kept_;
  if (monitor_.held().arrays > 0) return std::string("it ") + kHasArrays;
  KJOULE_CU(cuCtxSynchronize());
  peers_->part(false);  // until then, replays of other ranks may change the memory of this one
  const PageSet different = end_->restore(snapshot(), replay_stream_);
  const bool has_one_failed = peers_->part(!different.empty());
  if (!different.empty()) return end_->describe(different);
  if (has_one_failed) return kOtherNotRestored;
  forget_iteration();
  learnt_ = {};
  if (was_searched_for_)
    monitor_.run_on();  // this search has no further window
  else
    monitor_.go_on();
  return {};
}

std::string CudaDevice::release() {
  if (end_) return leave();
  peers_->part(false);
  if (peers_->part(false)) return kOtherNotRestored;
  forget_iteration();
  learnt_ = {};
  monitor_.release();
  return {};
}

void CudaDevice::forget_iteration() {
  for (std::vector<std::byte>* host : pinned_) cuMemHostUnregister(host->data());
  pinned_.clear();
  write_sets_.reset();
  flush_.reset();
  memory_state_.reset();
  iteration_memory_.reset();
  end_.reset();
  end_not_kept_.clear();
  edges_ = {};
}

}  // namespace kjoule::cuda
