// Schroedinger's equation with a cubic term on 192 x 192 x 192 points by two split steps: cuFFT in three
// dimensions there and back, phases between; then the norm, and the wave scaled to the first one's.
//
// usage: spectral [ITERATIONS]
#include <cufft.h>

#include "program.cuh"

namespace {

constexpr int kPoints = 192, kAll = kPoints * kPoints * kPoints, kSteps = 2;
constexpr float kTime = 1e-3f;

__device__ cufftComplex turned(cufftComplex value, float angle, float scale) {
  float sine = 0, cosine = 0;
  __sincosf(angle, &sine, &cosine);
  return {scale * (value.x * cosine - value.y * sine), scale * (value.x * sine + value.y * cosine)};
}

__global__ void begin(cufftComplex* wave, float* well) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float x = i % kPoints - kPoints / 2, y = i / kPoints % kPoints - kPoints / 2,
              z = i / kPoints / kPoints - kPoints / 2;
  const float distance = (x * x + y * y + z * z) / (kPoints * kPoints);
  wave[i] = {expf(-40 * distance), 0.1f * drawn(i, 5)};
  well[i] = 50 * distance;
}

__global__ void turn_by_place(cufftComplex* wave, const float* well) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float density = wave[i].x * wave[i].x + wave[i].y * wave[i].y;
  wave[i] = turned(wave[i], -0.5f * kTime * (well[i] + 10 * density), 1);
}

__device__ float frequency(int i) {
  return static_cast<float>(i < kPoints / 2 ? i : i - kPoints);
}

__global__ void turn_by_frequency(cufftComplex* spectrum) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float x = frequency(i % kPoints), y = frequency(i / kPoints % kPoints),
              z = frequency(i / kPoints / kPoints);
  spectrum[i] = turned(spectrum[i], -0.5f * kTime * (x * x + y * y + z * z), 1.0f / kAll);
}

__global__ void add_up(const cufftComplex* wave, float* norm) {
  float sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kAll; i += gridDim.x * kThreads)
    sum += wave[i].x * wave[i].x + wave[i].y * wave[i].y;
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(norm, sum);
}

/// The steps' rounding must not add up.
__global__ void scale(cufftComplex* wave, const float* norm, const float* first) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float factor = sqrtf(*first / *norm);
  wave[i].x *= factor;
  wave[i].y *= factor;
}

}  // namespace

int main(int argc, char** argv) {
  auto* wave = zeros<cufftComplex>(kAll);
  auto* well = zeros<float>(kAll);
  auto* norms = zeros<float>(2);
  cufftHandle plan{};
  CHECK(cufftPlan3d(&plan, kPoints, kPoints, kPoints, CUFFT_C2C));
  begin<<<kAll / kThreads, kThreads>>>(wave, well);
  add_up<<<512, kThreads>>>(wave, norms + 1);
  for (int i = 0; i < iterations(argc, argv); ++i) {
    for (int s = 0; s < kSteps; ++s) {
      turn_by_place<<<kAll / kThreads, kThreads>>>(wave, well);
      CHECK(cufftExecC2C(plan, wave, wave, CUFFT_FORWARD));
      turn_by_frequency<<<kAll / kThreads, kThreads>>>(wave);
      CHECK(cufftExecC2C(plan, wave, wave, CUFFT_INVERSE));
      turn_by_place<<<kAll / kThreads, kThreads>>>(wave, well);
    }
    CHECK(cudaMemsetAsync(norms, 0, sizeof(float)));
    add_up<<<512, kThreads>>>(wave, norms);
    scale<<<kAll / kThreads, kThreads>>>(wave, norms, norms + 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGetLastError());
  }
  return ended_with(first_of(norms));
}
