#include "cuda_recorder.hpp"

#include "check.hpp"
#include "cuda_device.hpp"

namespace kjoule::driver {

CudaRecorder::CudaRecorder(Watch& watch) : watch_(watch) {
  KJOULE_CU(cuCtxSetCurrent(watch_.wait_for_context()));
  info_.description = describe_current_gpu();
}

Recording CudaRecorder::record() {
  do watch_.wait_for_begin();
  while (!watch_.record_iteration());
  Recording recording = recording_of(watch_, info_.description);
  watch_.release();
  return recording;
}

Verification CudaRecorder::verify() {
  throw Error("a program that runs on cannot be replayed");
}

std::unique_ptr<Track> CudaRecorder::open(const TrackSpec&) {
  throw Error("a program that runs on cannot be replayed");
}

}  // namespace kjoule::driver
