#pragma once
// The folder replay replays the recorded iteration on the GPU. CudaDevice implements Device for kjoule's
// requests, which a Service in measuring_task.cpp or waiting_task.cpp receives. It opens a Track for each
// kind of TrackSpec: StampedTrack, OverlappedTrack, EmptyKernelsTrack and SteadyTrack, which replay CUDA
// graphs. GatedTrack is what the first three have in common: the gate, which holds the stream until the host
// has submitted the graph. ReplayContext is what all tracks share. Read first: CudaDevice, ReplayContext,
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

/// Returns a description of the GPU of the current context: name, UUID, driver version, multiprocessors, L2
/// size.
nlohmann::json describe_current_gpu();
/// Returns the recording of the iteration that `monitor` has recorded.
Recording recording_of(ProgramMonitor& monitor, const nlohmann::json& device);

/// The program's GPU, used from within the program's own process: records one iteration and replays it at the
/// program's own addresses. All calls must come from one thread, which is exempt from ProgramMonitor.
class CudaDevice final : public Device {
 public:
  /// What becomes of the program after it was measured.
  enum class Program {
    ends,
    goes_on,  ///< leave() lets it go on, if what its iteration changed could be kept for that
    stays,    ///< release() lets it go on whatever happened; it is not measured if that is impossible
  };
  /// Blocks until the program has launched its first operation. `position` is that of this process among the
  /// ranks of its program; null if it is measured alone.
  CudaDevice(ProgramMonitor& monitor, Program afterwards, RankPosition* position = nullptr);
  ~CudaDevice() override;
  const DeviceInfo& info() const override { return info_; }
  Recording record() override;
  std::optional<Recording> record_window(const WindowSearch& search) override;
  std::optional<Recording> follow() override;
  Verification verify() override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  std::optional<Observation> observe() override;
  std::string leave() override;
  void stop_observing() override { monitor_.release(); }
  void begin_round(int) override {}
  /// Lets a program go on that stays, whether its iteration was recorded or not. All tracks must be closed.
  /// Returns why that is impossible, as leave() does.
  std::string release();

 private:
  void load_kernels();
  /// Returns whether other ranks follow this one, and collectives are expected. Windows that are no
  /// iterations are recorded in one process only.
  bool is_among_ranks() const;
  /// Meets the other ranks, if the program is paused at an iteration that they record, too.
  void meet_peers();
  /// Throws Error if the kept iteration cannot be replayed by this rank or by another one.
  void throw_if_not_replayable();
  /// Waits for the device, and prepares to record the launches before which the program is paused.
  void prepare_to_record();
  /// Lets the program run on that was paused for a window of which nothing was replayed.
  void run_on_unrecorded();
  /// Returns the recording of the kept launches.
  Recording recording();
  /// Takes note of the memory at the beginning of the iteration.
  Snapshot take_snapshot();
  /// Returns whether the program shall run another iteration before one is replayed, because this one has
  /// changed pages of which the snapshot has no images. Learns from it, and completes the snapshot as far as
  /// other pages allow.
  bool has_more_to_learn(Snapshot& snapshot);
  /// Returns whether the kept iteration replays to other bits because pages began with unknown contents. The
  /// program's memory is as its own iteration left it then, and the iteration is forgotten.
  bool has_begun_otherwise();
  /// Pauses the program after its iteration.
  void pause_program();
  /// Keeps the memory before the iteration, `snapshot`, and describes the memory after it.
  void keep_memory(Snapshot snapshot);
  void keep_end(const Snapshot& snapshot, const MemoryDigest& end);
  const Snapshot& snapshot() const;
  /// Destroys everything that belongs to the recorded iteration.
  void forget_iteration();
  /// Returns the memory state, which is determined at the first call. Launches that are repeated in isolation
  /// do not need it.
  MemoryState& memory_state();
  /// Returns the write sets, which are determined at the first call.
  const WriteSets& write_sets();
  /// Returns what replay needs, with neither a memory state nor write sets.
  ReplayContext bare_replay_context() const;
  /// Returns what replay needs, with the memory state.
  ReplayContext replay_context();
  std::unique_ptr<Track> open_steady(const SteadyWork& work);

  ProgramMonitor& monitor_;
  Program afterwards_;
  RankPosition* position_;
  std::unique_ptr<Peers> peers_ = std::make_unique<NoPeers>();
  DeviceInfo info_;
  std::optional<ObservedIteration> observed_;
  bool was_searched_for_ = false;  ///< whether record_window() was called
  int64_t paused_since_ns_ = 0;    ///< steady-clock time since which the program runs single iterations only
  CUstream capture_stream_ = nullptr;
  CUstream replay_stream_ = nullptr;
  std::unique_ptr<PageKernels> kernels_;
  std::unique_ptr<ClockKernel> clocks_;
  std::unique_ptr<StampKernels> stamps_;
  std::unique_ptr<Gate> gate_;
  LearntPages learnt_;
  /// Whether the snapshot has pages whose contents at the beginning are not known: it has those of the end.
  bool begin_is_guessed_ = false;
  /// The iteration's memory before and after the program's own run. It is kept until the MemoryState is
  /// determined.
  struct IterationMemory {
    Snapshot begin;
    MemoryDigest end;
  };
  std::optional<IterationMemory> iteration_memory_;
  WindowEdges edges_;  ///< of the recorded launches
  UnmovedMemory unmoved_;
  std::unique_ptr<MemoryState> memory_state_;
  std::unique_ptr<WriteSets> write_sets_;
  std::unique_ptr<CacheFlush> flush_;
  std::optional<IterationEnd> end_;
  std::string end_not_kept_;  ///< why the program cannot go on; empty if it can
  std::vector<std::vector<std::byte>*> pinned_;
};

}  // namespace kjoule::cuda
