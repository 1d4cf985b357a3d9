// Waves in a plane of different media, all of it in managed memory. Before each step the host moves a body in
// the map of the media and sets their properties, the antennas and what comes in at an edge; after it, it
// reads what the kernels measured and a line of the field itself, and chooses the next step's values by them.
// ADVICE says what the program tells CUDA about the memory:
//
//   none              no advice
//   read-mostly       memory that the host sets is mostly read
//   preferred-host    memory that the host sets or reads should stay in host memory
//   preferred-device  all memory should stay on the device
//   accessed-by       the device should always have access to all memory
//   prefetch          no advice, but memory that the host has set is prefetched to the device, and the
//                     measurements to the host
//
// Difficult: no copy is made; several small allocations and parts of large ones move when they are touched,
// also a line of a field that the kernels write. The checksum is the same with every advice. Needs CUDA 13.
//
// usage: managed_simulation [ADVICE [STEPS]]    defaults: none, 10,000; each step takes about 1.5 ms
#include <algorithm>
#include <cmath>
#include <string>

#include "shared.cuh"

namespace {

constexpr int kSide = 2048;
constexpr int kCells = kSide * kSide;              // 16 MiB in each of three fields
constexpr int kMapSide = kSide / 2;                // an entry of the map is the medium of 2 x 2 cells
constexpr int kMedia = 8;                          // 0 is what absorbs waves, the last one is the body's
constexpr int kBody = 24;                          // entries of the map in each direction
constexpr int kBorder = 24;                        // likewise
constexpr int kTiles = 8, kTile = kSide / kTiles;  // with an antenna in each tile
constexpr int kRounds = 4;                         // in each step
constexpr int kSums = 512;
constexpr int kWindows = 16, kWindow = 16;  // in which the field is measured
constexpr int kLine = kSide / 3;            // that the host reads
constexpr int kRows = 8;                    // that a block goes through

struct Medium {
  float kept, speed;
};

struct Antenna {
  int cell;
  float values[kRounds];
};

struct Measured {
  float energy[kSums];
  float windows[kWindows * kWindows];
};

/// Managed memory, freed at the end of its scope.
template <class T>
class ManagedArray {
 public:
  explicit ManagedArray(size_t count) : count_(count) { CHECK(cudaMallocManaged(&values_, bytes())); }
  ~ManagedArray() { CHECK(cudaFree(values_)); }
  ManagedArray(const ManagedArray&) = delete;
  ManagedArray& operator=(const ManagedArray&) = delete;
  operator T*() const { return values_; }
  T* get() const { return values_; }
  size_t count() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }

 private:
  size_t count_;
  T* values_ = nullptr;
};

__global__ void update_magnetic(const float* ez, float* hx, float* hy) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == kSide - 1 || y == kSide - 1) return;
  const int i = y * kSide + x;
  const float here = ez[i];
  hx[i] -= 0.5f * (ez[i + kSide] - here);
  hy[i] += 0.5f * (ez[i + 1] - here);
}

/// Each block has kRows rows of as many cells as it has threads.
__global__ void update_electric(float* ez, const float* hx, const float* hy, const uint8_t* map,
                                const Medium* media) {
  __shared__ Medium of_block[kMedia];
  if (threadIdx.x < kMedia) of_block[threadIdx.x] = media[threadIdx.x];
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * kRows;
  if (x == 0 || x == kSide - 1) return;
  for (int y = max(first, 1); y < min(first + kRows, kSide - 1); ++y) {
    const int i = y * kSide + x;
    const Medium medium = of_block[map[y / 2 * kMapSide + x / 2] % kMedia];
    ez[i] = medium.kept * ez[i] + medium.speed * (hy[i] - hy[i - 1] - hx[i] + hx[i - kSide]);
  }
}

/// What comes in at the left.
__global__ void drive_edge(float* ez, const float* inflow) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  ez[y * kSide] = inflow[y];
}

__global__ void radiate(float* ez, const Antenna* antennas, int round) {
  const Antenna& antenna = antennas[threadIdx.x];
  ez[antenna.cell] += antenna.values[round];
}

__device__ float sum_of_block(float value) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  return sums[0];
}

__global__ void measure_energy(const float* ez, const float* hx, const float* hy, Measured* measured) {
  float sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kCells; i += kSums * kThreads)
    sum += ez[i] * ez[i] + hx[i] * hx[i] + hy[i] * hy[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) measured->energy[blockIdx.x] = sum;
}

/// The mean of each window; a block for each.
__global__ void measure_windows(const float* ez, Measured* measured) {
  static_assert(kWindow * kWindow == kThreads);
  const int x = blockIdx.x * (kSide / kWindows) + threadIdx.x % kWindow;
  const int y = blockIdx.y * (kSide / kWindows) + threadIdx.x / kWindow;
  const float sum = sum_of_block(ez[y * kSide + x]);
  if (threadIdx.x == 0) measured->windows[blockIdx.y * kWindows + blockIdx.x] = sum / kThreads;
}

uint8_t medium_without_body(int x, int y) {
  const bool inside = std::min(x, y) >= kBorder && std::max(x, y) < kMapSide - kBorder;
  return inside ? 1 + mixed(y / 64 * 64 + x / 64) % (kMedia - 2) : 0;
}

class Simulation {
 public:
  explicit Simulation(const std::string& advice) : prefetches_(advice == "prefetch") {
    device_.type = cudaMemLocationTypeDevice;
    CHECK(cudaGetDevice(&device_.id));
    host_.type = cudaMemLocationTypeHost;
    if (advice == "read-mostly") {
      of_set([&](auto& array) { advise(array, cudaMemAdviseSetReadMostly, device_); });
    } else if (advice == "preferred-host") {
      of_set([&](auto& array) { advise(array, cudaMemAdviseSetPreferredLocation, host_); });
      advise(measured_, cudaMemAdviseSetPreferredLocation, host_);
    } else if (advice == "preferred-device") {
      of_all([&](auto& array) { advise(array, cudaMemAdviseSetPreferredLocation, device_); });
    } else if (advice == "accessed-by") {
      of_all([&](auto& array) { advise(array, cudaMemAdviseSetAccessedBy, device_); });
    }
    for (const auto* field : {&ez_, &hx_, &hy_}) CHECK(cudaMemset(*field, 0, field->bytes()));
    CHECK(cudaDeviceSynchronize());
    for (int y = 0; y < kMapSide; ++y)
      for (int x = 0; x < kMapSide; ++x) map_[y * kMapSide + x] = medium_without_body(x, y);
    measured_[0] = {};
    fill(shape_.data(), kSide, 1);
    for (int y = 1; y < kSide; ++y) shape_[y] = 0.9f * shape_[y - 1] + 0.1f * shape_[y];
  }

  void step(int step) {
    move_body(step);
    set_media(step);
    set_antennas(step);
    set_inflow(step);
    run();
    CHECK(cudaStreamSynchronize(stream_));
    learn();
  }

  double sum() const { return fingerprint_.sum(); }

 private:
  template <class T>
  static void advise(const ManagedArray<T>& array, cudaMemoryAdvise advice, cudaMemLocation location) {
    CHECK(cudaMemAdvise(array, array.bytes(), advice, location));
  }

  template <class T>
  void bring(const ManagedArray<T>& array, cudaMemLocation location) const {
    CHECK(cudaMemPrefetchAsync(array, array.bytes(), location, 0, stream_));
  }

  /// For all that the host sets before a step.
  template <class Function>
  void of_set(Function function) const {
    function(map_);
    function(media_);
    function(antennas_);
    function(inflow_);
  }

  template <class Function>
  void of_all(Function function) const {
    of_set(function);
    function(ez_);
    function(hx_);
    function(hy_);
    function(measured_);
  }

  void move_body(int step) {
    for (int y = body_y_; y < body_y_ + kBody; ++y)
      for (int x = body_x_; x < body_x_ + kBody; ++x) map_[y * kMapSide + x] = medium_without_body(x, y);
    body_x_ = kMapSide / 2 + static_cast<int>(350 * std::cos(0.003f * step));
    body_y_ = kMapSide / 2 + static_cast<int>(350 * std::sin(0.005f * step));
    for (int y = body_y_; y < body_y_ + kBody; ++y)
      std::fill_n(map_ + y * kMapSide + body_x_, kBody, uint8_t{kMedia - 1});
  }

  void set_media(int step) {
    media_[0] = {.kept = 0.9f, .speed = 0.45f};
    for (int i = 1; i < kMedia; ++i) {
      const float warmth = std::sin(1e-3f * step + i);
      media_[i] = {.kept = 0.998f + 0.001f * warmth, .speed = (0.45f + 0.02f * warmth) / (1 + 0.2f * i)};
    }
  }

  void set_antennas(int step) {
    for (int i = 0; i < kTiles * kTiles; ++i) {
      const uint32_t chosen = mixed((step / 16) * kTiles * kTiles + i);
      const int x = i % kTiles * kTile + kTile / 4 + chosen % (kTile / 2);
      const int y = i / kTiles * kTile + kTile / 4 + chosen / 65536 % (kTile / 2);
      antennas_[i].cell = y * kSide + x;
      const float heard = std::clamp(measured_[0].windows[4 * i], -1.f, 1.f);
      for (int round = 0; round < kRounds; ++round)
        antennas_[i].values[round] = gain_ * std::sin(0.1f * (step * kRounds + round) + i) - 0.2f * heard;
    }
  }

  void set_inflow(int step) {
    for (int round = 0; round < kRounds; ++round) {
      const float now = gain_ * std::sin(0.05f * (step * kRounds + round));
      for (int y = 0; y < kSide; ++y)
        inflow_[round * kSide + y] = now * shape_[(y + step) % kSide] + 0.1f * mean_of_line_;
    }
  }

  void run() {
    if (prefetches_) of_set([&](auto& array) { bring(array, device_); });
    for (int round = 0; round < kRounds; ++round) {
      update_magnetic<<<dim3(kSide / 64, kSide / 4), dim3(64, 4), 0, stream_>>>(ez_, hx_, hy_);
      update_electric<<<dim3(kSide / kThreads, kSide / kRows), kThreads, 0, stream_>>>(ez_, hx_, hy_, map_,
                                                                                       media_);
      drive_edge<<<kSide / kThreads, kThreads, 0, stream_>>>(ez_, inflow_ + round * kSide);
      radiate<<<1, kTiles * kTiles, 0, stream_>>>(ez_, antennas_, round);
    }
    measure_energy<<<kSums, kThreads, 0, stream_>>>(ez_, hx_, hy_, measured_);
    measure_windows<<<dim3(kWindows, kWindows), kThreads, 0, stream_>>>(ez_, measured_);
    of_set([&](auto& array) { fingerprint_.add(array.get(), array.count(), stream_); });
    fingerprint_.add(ez_.get(), ez_.count(), stream_);
    if (prefetches_) bring(measured_, host_);
  }

  void learn() {
    float energy = 0, line = 0;
    for (const float sum : measured_[0].energy) energy += sum / kCells;
    for (int x = 0; x < kSide; ++x) line += ez_[kLine * kSide + x];
    mean_of_line_ = std::clamp(line / kSide, -1.f, 1.f);
    gain_ = std::clamp(gain_ * (energy > 0.01f ? 0.99f : 1.01f), 0.1f, 4.f);
  }

  const bool prefetches_;
  cudaMemLocation device_{}, host_{};
  Stream stream_;
  ManagedArray<float> ez_{kCells}, hx_{kCells}, hy_{kCells};
  ManagedArray<uint8_t> map_{kMapSide * kMapSide};
  ManagedArray<Medium> media_{kMedia};
  ManagedArray<Antenna> antennas_{kTiles * kTiles};
  ManagedArray<float> inflow_{kRounds * kSide};
  ManagedArray<Measured> measured_{1};
  Fingerprint fingerprint_;
  std::vector<float> shape_ = std::vector<float>(kSide);
  int body_x_ = kMapSide / 2, body_y_ = kMapSide / 2;
  float gain_ = 1, mean_of_line_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string advice = argc > 1 ? argv[1] : "none";
  const int steps = argc > 2 ? std::atoi(argv[2]) : 10000;
  const std::vector<std::string> known = {"none",        "read-mostly", "preferred-host", "preferred-device",
                                          "accessed-by", "prefetch"};
  if (std::find(known.begin(), known.end(), advice) == known.end()) {
    std::fprintf(stderr, "managed_simulation: there is no advice '%s'\n", advice.c_str());
    return 2;
  }
  Simulation simulation(advice);
  for (int step = 0; step < steps; ++step) simulation.step(step);
  return finish(simulation.sum());
}
