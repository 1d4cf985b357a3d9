// Potentials of charges that move, for about 5 s on the device, and then a comparison of some steps with sums
// over all pairs on the host, in one thread and with double precision, for about two minutes.
//
// usage: checked_on_host [STEPS]    STEPS is 1,300 by default; each takes about 4 ms
#include <chrono>
#include <cmath>

#include "../../../programs/check.cuh"

namespace {

constexpr int kCharges = 65536;  // a whole number of blocks
constexpr int kChecked = 8;      // steps
constexpr float kSoftening = 1e-4f;

struct Snapshot {
  std::vector<float4> charges = std::vector<float4>(kCharges);
  std::vector<float> potentials = std::vector<float>(kCharges);
};

__global__ void begin(float4* charges) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  charges[i] = {(i * 7919u % 65537) / 65537.f, (i * 104729u % 65539) / 65539.f,
                (i * 1299709u % 65543) / 65543.f, i % 3 ? 1.f : -1.5f};
}

__global__ void potential(const float4* charges, float* potentials) {
  __shared__ float4 tile[kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 own = charges[i];
  float whole = 0;
  for (int first = 0; first < kCharges; first += kThreads) {
    tile[threadIdx.x] = charges[first + threadIdx.x];
    __syncthreads();
    float part = 0;  // of one tile, so that small terms are not lost
    for (int k = 0; k < kThreads; ++k) {
      const float dx = tile[k].x - own.x, dy = tile[k].y - own.y, dz = tile[k].z - own.z;
      part += tile[k].w * rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
    }
    whole += part;
    __syncthreads();
  }
  potentials[i] = whole;
}

/// Moves each charge on a circle whose speed follows from its potential.
__global__ void turn(float4* charges, const float* potentials) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float angle = 1e-3f + 1e-8f * potentials[i], x = charges[i].x - 0.5f, y = charges[i].y - 0.5f;
  charges[i].x = 0.5f + x * cosf(angle) - y * sinf(angle);
  charges[i].y = 0.5f + x * sinf(angle) + y * cosf(angle);
}

/// Returns the largest difference between the potentials of device and host, as a share of the largest.
double worst_error(const Snapshot& seen) {
  double worst = 0, largest = 0;
  for (const float4& own : seen.charges) {
    double whole = 0;
    for (const float4& other : seen.charges) {
      const double dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      whole += other.w / std::sqrt(dx * dx + dy * dy + dz * dz + kSoftening);
    }
    const double found = seen.potentials[&own - seen.charges.data()];
    worst = std::max(worst, std::abs(found - whole));
    largest = std::max(largest, std::abs(whole));
  }
  return worst / largest;
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1300;
  constexpr int kBlocks = kCharges / kThreads;
  const int every = steps > kChecked ? steps / kChecked : 1;
  const DeviceArray<float4> charges(kCharges);
  const DeviceArray<float> potentials(kCharges);
  std::vector<Snapshot> snapshots;
  begin<<<kBlocks, kThreads>>>(charges);
  for (int step = 0; step < steps; ++step) {
    potential<<<kBlocks, kThreads>>>(charges, potentials);
    if (step % every == 0 && snapshots.size() < kChecked) {
      Snapshot& seen = snapshots.emplace_back();
      CHECK(cudaMemcpy(seen.charges.data(), charges, kCharges * sizeof(float4), cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpy(seen.potentials.data(), potentials, kCharges * sizeof(float), cudaMemcpyDeviceToHost));
    }
    turn<<<kBlocks, kThreads>>>(charges, potentials);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  const double sum = checksum<float>(potentials);

  const auto begun = std::chrono::steady_clock::now();
  for (const Snapshot& seen : snapshots) {
    const double error = worst_error(seen);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
    std::printf("error %.1e after %.0f s on the host\n", error, passed.count());
    std::fflush(stdout);
    if (!(error < 1e-4)) {
      std::fprintf(stderr, "checked_on_host: the potentials of device and host differ by %g of the largest\n",
                   error);
      return 1;
    }
  }
  return finish(sum);
}
