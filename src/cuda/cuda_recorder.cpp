#include "cuda/cuda_recorder.hpp"

#include "cuda/check.hpp"
#include "cuda/cuda_device.hpp"

namespace kjoule::driver {

CudaRecorder::CudaRecorder(Watch& watch) : watch_(watch), observed_(watch.cupti()) {
  KJOULE_CU(cuCtxSetCurrent(watch_.wait_for_context()));
  info_.description = describe_current_gpu();
  info_.keeps_timeline = true;
}

Recording CudaRecorder::record() {
  do {
    watch_.wait_for_begin();
    KJOULE_CU(cuCtxSetCurrent(watch_.wait_for_context()));
    KJOULE_CU(cuCtxSynchronize());
    observed_.begin();
  } while (!watch_.record_iteration());
  KJOULE_CU(cuCtxSynchronize());
  observed_.end(watch_.calls(), watch_.wait_for_context());
  Recording recording = recording_of(watch_, info_.description);
  watch_.release();
  return recording;
}

std::optional<Observation> CudaRecorder::observe() {
  Observation seen = observed_.observation();
  seen.launch_s_missing = "the program runs on: nothing was played";
  return seen;
}

Verification CudaRecorder::verify() {
  throw Error("a program that runs on cannot be replayed");
}

std::unique_ptr<Track> CudaRecorder::open(const TrackSpec&) {
  throw Error("a program that runs on cannot be replayed");
}

}  // namespace kjoule::driver
