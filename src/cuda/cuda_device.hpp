#pragma once
#include <memory>
#include <optional>

#include "cuda/clocks.hpp"
#include "cuda/observe.hpp"
#include "cuda/stage.hpp"
#include "cuda/watch.hpp"
#include "device/device.hpp"

namespace kjoule::driver {

/// What can be said of the GPU of the current context.
nlohmann::json describe_current_gpu();
/// The iteration that `watch` has recorded.
Recording recording_of(const Watch& watch, const nlohmann::json& device);

/// The program's own GPU, in the program's own process: records one of its iterations and plays it in place.
/// All calls come from one thread, which Watch has exempted.
class CudaDevice final : public Device {
 public:
  /// Blocks until the program has launched something.
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
  /// Found when it is first asked for: launches that are played by themselves need none.
  const State& state();
  /// Likewise.
  const WriteSets& write_sets();
  /// Without a state.
  Stage bare_stage() const;
  Stage stage();
  std::unique_ptr<Track> open_steady(const Steady& work);

  Watch& watch_;
  DeviceInfo info_;
  ObservedIteration observed_;
  int64_t held_ns_ = 0;  ///< steady time since when the program stands still
  CUstream capturing_ = nullptr;
  CUstream playing_ = nullptr;
  std::unique_ptr<PageKernels> kernels_;
  std::unique_ptr<ClockKernel> clocks_;
  std::unique_ptr<StampKernels> stamps_;
  std::unique_ptr<Gate> gate_;
  /// The iteration's memory, before and after, until the state is found.
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
