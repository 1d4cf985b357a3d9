#pragma once
#include <memory>
#include <optional>

#include "cuda/clocks.hpp"
#include "cuda/observe.hpp"
#include "cuda/stage.hpp"
#include "cuda/watch.hpp"
#include "device/device.hpp"

namespace kjoule::driver {

/// Returns a description of the GPU of the current context: name, UUID, driver version, multiprocessors, L2
/// size.
nlohmann::json describe_current_gpu();
/// Returns the recording of the iteration that `watch` has recorded.
Recording recording_of(const Watch& watch, const nlohmann::json& device);

/// The program's GPU, used from within the program's own process: records one iteration and replays it at the
/// program's own addresses. All calls must come from one thread, which is exempt from Watch.
class CudaDevice final : public Device {
 public:
  /// Blocks until the program has launched its first operation.
  explicit CudaDevice(Watch& watch);
  ~CudaDevice() override;
  const DeviceInfo& info() const override { return info_; }
  Recording record() override;
  Verification verify() override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  std::optional<Observation> observe() override;
  void begin_round(int) override {}

 private:
  void load_kernels();
  void hold(Snapshot snapshot);
  /// Returns the memory state, which is determined at the first call. Launches that are repeated in isolation
  /// do not need it.
  const State& state();
  /// Returns the write sets, which are determined at the first call.
  const WriteSets& write_sets();
  /// Returns the stage with neither a memory state nor write sets.
  Stage bare_stage() const;
  Stage stage();
  std::unique_ptr<Track> open_steady(const Steady& work);

  Watch& watch_;
  DeviceInfo info_;
  ObservedIteration observed_;
  int64_t held_ns_ = 0;  ///< steady-clock time since which the program is paused
  CUstream capturing_ = nullptr;
  CUstream playing_ = nullptr;
  std::unique_ptr<PageKernels> kernels_;
  std::unique_ptr<ClockKernel> clocks_;
  std::unique_ptr<StampKernels> stamps_;
  std::unique_ptr<Gate> gate_;
  /// The iteration's memory before and after the program's own run. It is kept until the State is determined.
  struct Ends {
    Snapshot begin;
    MemoryMarks end;
  };
  std::optional<Ends> ends_;
  std::unique_ptr<State> state_;
  std::unique_ptr<WriteSets> write_sets_;
  std::vector<std::vector<std::byte>*> pinned_;
};

}  // namespace kjoule::driver
