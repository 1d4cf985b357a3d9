#pragma once
// The folder replay replays the recorded iteration on the GPU. CudaDevice implements Device for kjoule's
// requests, which a Service in measuring_task.cpp or waiting_task.cpp receives. For each kind of TrackSpec it
// opens a Track: StampedTrack, OverlappedTrack, EmptyKernelsTrack or SteadyTrack, which replay CUDA graphs.
// The first three derive from GatedTrack, which holds the stream at a gate until the host has submitted the
// graph. ReplayContext contains the data that all tracks share. Read first: CudaDevice, ReplayContext,
// StampedTrack.

#include <memory>
#include <optional>

#include "cuda/memory/iteration_end.hpp"
#include "cuda/memory/learnt_pages.hpp"
#include "cuda/memory/managed_memory.hpp"
#include "cuda/ranks/peers.hpp"
#include "cuda/replay/clocks.hpp"
#include "cuda/replay/observed_iteration.hpp"
#include "cuda/replay/replay_context.hpp"
#include "cuda/watch/program_monitor.hpp"
#include "device/device.hpp"

namespace kjoule::cuda {

/// Returns a description of the current context's GPU: name, UUID, driver version, number of multiprocessors,
/// L2 size.
nlohmann::json describe_current_gpu();
/// Returns the recording of the iteration that `monitor` has recorded.
Recording recording_of(ProgramMonitor& monitor, const nlohmann::json& device);

/// The program's GPU, used from within the program's own process. It records one iteration and replays it at
/// the program's own addresses. All calls must come from one thread, whose driver calls ProgramMonitor
/// ignores.
class CudaDevice final : public Device {
 public:
  /// The way in which the program ends or continues after the measurement.
  enum class Program {
    ends,
    /// leave() lets the program continue, if there was space for copies of the memory that its iteration
    /// changed.
    goes_on,
    /// release() always lets the program continue; a program for which this is impossible is not measured.
    stays,
  };
  /// Blocks until the program has launched its first operation. `position` is the position of this process
  /// among the ranks of its program; null if the process is measured alone.
  CudaDevice(ProgramMonitor& monitor, Program afterwards, RankPosition* position = nullptr);
  ~CudaDevice() override;
  const DeviceInfo& info() const override { return info_; }
  Recording record() override;
  std::optional<Recording> record_window(const WindowSearch& search) override;
  std::optional<Recording> follow() override;
  Verification verify() override;
  std::vector<CollectiveTimes> time_collectives(int repeats) override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  std::optional<Observation> observe() override;
  std::string leave() override;
  void stop_observing() override { monitor_.release(); }
  void begin_round(int) override {}
  /// Lets a program with Program::stays continue, even if no iteration was recorded. All tracks must be
  /// closed. Returns an empty text if the program continues, and otherwise the reason, like leave().
  std::string release();

 private:
  void load_kernels();
  /// Returns whether other ranks follow this rank, and collectives are expected. A window that is no
  /// iteration is recorded in one process only.
  bool is_among_ranks() const;
  /// Waits for the other ranks, if the program is paused at an iteration that all ranks record.
  void meet_peers();
  /// Throws Error if this rank or another rank cannot replay the kept iteration.
  void throw_if_not_replayable();
  /// Waits for the device, and prepares to record from the launch at which the program is paused.
  void prepare_to_record();
  /// Lets a program continue that is paused at a window of which nothing was replayed.
  void run_on_unrecorded();
  /// Returns the recording of the kept launches.
  Recording recording();
  /// Returns the snapshot of the memory at the beginning of the iteration.
  Snapshot take_snapshot();
  /// Returns whether the program should run another iteration before one is replayed, because this iteration
  /// has changed pages of which the snapshot has no images. Adds these pages to the learnt pages. Adds images
  /// to the snapshot where other pages still have the original contents.
  bool has_more_to_learn(Snapshot& snapshot);
  /// Returns whether the replay of the recorded iteration gives different results because the contents of
  /// some pages at the beginning are unknown. If true, this function has restored the program's memory to the
  /// state after its own iteration, and has discarded the recorded iteration.
  bool has_begun_otherwise();
  /// Pauses the program after its iteration.
  void pause_program();
  /// Keeps `snapshot`, the memory before the iteration, and describes the memory after it.
  void keep_memory(Snapshot snapshot);
  void keep_end(const Snapshot& snapshot, const MemoryDigest& end);
  const Snapshot& snapshot() const;
  /// Destroys everything that belongs to the recorded iteration.
  void forget_iteration();
  /// Returns the memory state, which is determined at the first call. Tracks of launches in isolation do not
  /// need it.
  MemoryState& memory_state();
  /// Returns the write sets, which are determined at the first call.
  const WriteSets& write_sets();
  /// Returns the context of a replay with neither a memory state nor write sets.
  ReplayContext bare_replay_context() const;
  /// Returns the context of a replay with the memory state.
  ReplayContext replay_context();
  std::unique_ptr<Track> open_steady(const SteadyWork& work);

  ProgramMonitor& monitor_;
  Program afterwards_;
  RankPosition* position_;
  std::unique_ptr<Peers> peers_ = std::make_unique<NoPeers>();
  DeviceInfo info_;
  std::optional<ObservedIteration> observed_;
  bool was_searched_for_ = false;  ///< whether record_window() was called
  int64_t paused_since_ns_ = 0;    ///< steady-clock time at which the program was first paused
  CUstream capture_stream_ = nullptr;
  CUstream replay_stream_ = nullptr;
  std::unique_ptr<PageKernels> kernels_;
  std::unique_ptr<ClockKernel> clocks_;
  std::unique_ptr<StampKernels> stamps_;
  std::unique_ptr<Gate> gate_;
  LearntPages learnt_;
  /// Whether the snapshot has pages whose contents at the beginning are unknown. Of these pages, the snapshot
  /// contains the contents at the end.
  bool begin_is_guessed_ = false;
  /// The iteration's memory before and after the program's own run. It outlives the MemoryState, which may
  /// fail: the program's memory must be restored even then.
  struct IterationMemory {
    Snapshot begin;
    MemoryDigest end;
  };
  std::optional<IterationMemory> iteration_memory_;
  WindowEdges edges_;  ///< edges of the recorded launches
  UnmovedMemory unmoved_;
  std::unique_ptr<MemoryState> memory_state_;
  std::unique_ptr<WriteSets> write_sets_;
  std::unique_ptr<CacheFlush> flush_;
  std::optional<IterationEnd> end_;
  std::string end_not_kept_;  ///< why the program cannot continue; empty if it can
  std::vector<std::vector<std::byte>*> pinned_;
};

}  // namespace kjoule::cuda
