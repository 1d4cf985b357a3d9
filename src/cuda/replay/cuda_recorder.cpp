#include "cuda/replay/cuda_recorder.hpp"

#include "base/bug_remedy.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/replay/cuda_device.hpp"

namespace kjoule::cuda {

CudaRecorder::CudaRecorder(ProgramMonitor& monitor) : monitor_(monitor), observed_(monitor.cupti()) {
  KJOULE_CU(cuCtxSetCurrent(monitor_.wait_for_context()));
  info_.description = describe_current_gpu();
  info_.keeps_timeline = true;
}

Recording CudaRecorder::record() {
  do {
    monitor_.wait_for_begin();
    KJOULE_CU(cuCtxSetCurrent(monitor_.wait_for_context()));
    KJOULE_CU(cuCtxSynchronize());
    observed_.begin();
  } while (!monitor_.record_iteration());
  KJOULE_CU(cuCtxSynchronize());
  observed_.end(monitor_);
  Recording recording = recording_of(monitor_, info_.description);
  monitor_.release();
  return recording;
}

std::optional<Observation> CudaRecorder::observe() {
  Observation observation = observed_.observation();
  observation.launch_s_missing = "the program is not paused, so nothing was replayed";
  return observation;
}

Verification CudaRecorder::verify() {
  throw Error("a program that is not paused cannot be replayed", kBugRemedy);
}

std::unique_ptr<Track> CudaRecorder::open(const TrackSpec&) {
  throw Error("a program that is not paused cannot be replayed", kBugRemedy);
}

}  // namespace kjoule::cuda
