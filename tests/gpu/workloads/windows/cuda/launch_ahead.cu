// A loop in which the host never waits: particles in a box attract each other and follow a field, and their
// density is counted, in a random order of kernels. Only the length of the driver's queue limits the host.
//
// usage: launch_ahead [STEPS]    STEPS is 40,000 by default; each takes about 1.5 ms
#include "../../../programs/check.cuh"

namespace {

constexpr int kBodies = 49152;  // a whole number of blocks
constexpr int kSide = 16384;    // of the field
constexpr int kBins = 4096;
constexpr float kStep = 1e-4f;

__global__ void begin(float4* bodies, float4* speeds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bodies[i] = {(i * 7919u % 10007) / 10007.f, (i * 104729u % 10009) / 10009.f,
               (i * 1299709u % 10037) / 10037.f, 1.f};
  speeds[i] = {0, 0, 0, 0};
}

__global__ void begin_field(float* field) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  field[i] = i % 1013 / 1013.f;
}

/// Each body feels all bodies.
__global__ void attract(const float4* bodies, float4* speeds) {
  __shared__ float4 tile[kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 own = bodies[i];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < kBodies; first += kThreads) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kThreads; ++k) {
      const float dx = tile[k].x - own.x, dy = tile[k].y - own.y, dz = tile[k].z - own.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
      const float pull = tile[k].w * inverse * inverse * inverse;
      x += pull * dx;
      y += pull * dy;
      z += pull * dz;
    }
    __syncthreads();
  }
  speeds[i].x += kStep * x / kBodies;
  speeds[i].y += kStep * y / kBodies;
  speeds[i].z += kStep * z / kBodies;
}

__global__ void move(float4* bodies, const float4* speeds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bodies[i].x += kStep * speeds[i].x;
  bodies[i].y += kStep * speeds[i].y;
  bodies[i].z += kStep * speeds[i].z;
}

/// A step of diffusion.
__global__ void diffuse(const float* now, float* next) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  const size_t i = size_t{kSide} * y + x;
  const float left = now[x > 0 ? i - 1 : i], right = now[x < kSide - 1 ? i + 1 : i];
  const float above = now[y > 0 ? i - kSide : i], below = now[y < kSide - 1 ? i + kSide : i];
  next[i] = now[i] + 0.2f * (left + right + above + below - 4 * now[i]);
}

/// Counts how often each range of values occurs; added to by every launch.
__global__ void count(const float* field, unsigned long long* bins) {
  __shared__ unsigned own[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) own[bin] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < size_t{kSide} * kSide;
       i += size_t{gridDim.x} * blockDim.x)
    atomicAdd(&own[min(kBins - 1, max(0, static_cast<int>(field[i] * kBins)))], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x)
    if (own[bin] > 0) atomicAdd(&bins[bin], static_cast<unsigned long long>(own[bin]));
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 40000;
  constexpr int kBlocks = kBodies / kThreads;
  constexpr size_t kPoints = size_t{kSide} * kSide;
  const dim3 grid(kSide / kThreads, kSide);
  const DeviceArray<float4> bodies(kBodies), speeds(kBodies);
  const DeviceArray<float> first(kPoints), second(kPoints);
  const DeviceArray<unsigned long long> bins(kBins);
  CHECK(cudaMemset(bins, 0, kBins * sizeof(unsigned long long)));
  begin<<<kBlocks, kThreads>>>(bodies, speeds);
  begin_field<<<kPoints / kThreads, kThreads>>>(first);
  float *now = first, *next = second;
  unsigned draw = 1;
  for (int step = 0; step < steps; ++step) {
    draw = draw * 1664525u + 1013904223u;
    switch (draw >> 30) {
      case 0:
        for (int turn = 0; turn < 2; ++turn) {
          diffuse<<<grid, kThreads>>>(now, next);
          std::swap(now, next);
        }
        break;
      case 1:
        count<<<1056, kThreads>>>(now, bins);
        break;
      default:
        attract<<<kBlocks, kThreads>>>(bodies, speeds);
        move<<<kBlocks, kThreads>>>(bodies, speeds);
    }
    CHECK(cudaGetLastError());
  }
  const double sum = checksum<unsigned long long>(bins, kBins) + checksum<float>(now) +
                     checksum<float>(reinterpret_cast<float*>(bodies.get()));
  return finish(sum);
}
