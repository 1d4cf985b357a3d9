// Images of 1920 x 1080 points as they come from a camera: copied to the device, straightened through a
// texture and made grey, blurred, searched for edges, which are closed, equalised by their
// histogram, and copied back.
//
// usage: image_filters [ITERATIONS]
#include "program.cuh"

namespace {

constexpr int kWidth = 1920, kHeight = 1080, kAll = kWidth * kHeight;
constexpr int kRadius = 7, kLevels = 256;
__constant__ float taps[2 * kRadius + 1];

struct Point {
  int x, y;
  __device__ Point() : x(blockIdx.x * blockDim.x + threadIdx.x), y(blockIdx.y * blockDim.y + threadIdx.y) {}
  __device__ bool inside() const { return x < kWidth && y < kHeight; }
  __device__ int here() const { return y * kWidth + x; }
};

__device__ float at(const float* image, int x, int y) {
  return image[min(max(y, 0), kHeight - 1) * kWidth + min(max(x, 0), kWidth - 1)];
}

/// The lens draws points outwards, the more the further from the middle they are.
__global__ void straighten_to_grey(cudaTextureObject_t camera, float* grey) {
  const Point p;
  if (!p.inside()) return;
  const float x = p.x - 0.5f * kWidth, y = p.y - 0.5f * kHeight;
  const float inwards = 1 - 0.05f * (x * x + y * y) / (kWidth * kWidth);
  const float4 colour =
      tex2D<float4>(camera, 0.5f * kWidth + inwards * x + 0.5f, 0.5f * kHeight + inwards * y + 0.5f);
  grey[p.here()] = 0.299f * colour.x + 0.587f * colour.y + 0.114f * colour.z;
}

template <bool along_x>
__global__ void blur(const float* from, float* to) {
  const Point p;
  if (!p.inside()) return;
  float sum = 0;
  for (int k = -kRadius; k <= kRadius; ++k)
    sum += taps[k + kRadius] * at(from, p.x + (along_x ? k : 0), p.y + (along_x ? 0 : k));
  to[p.here()] = sum;
}

__global__ void find_edges(const float* from, float* strength) {
  const Point p;
  if (!p.inside()) return;
  const auto value = [&](int dx, int dy) { return at(from, p.x + dx, p.y + dy); };
  const float x =
      value(1, -1) + 2 * value(1, 0) + value(1, 1) - value(-1, -1) - 2 * value(-1, 0) - value(-1, 1);
  const float y =
      value(-1, 1) + 2 * value(0, 1) + value(1, 1) - value(-1, -1) - 2 * value(0, -1) - value(1, -1);
  strength[p.here()] = sqrtf(x * x + y * y);
}

template <bool largest>
__global__ void spread(const float* from, float* to) {
  const Point p;
  if (!p.inside()) return;
  float found = from[p.here()];
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const float other = at(from, p.x + dx, p.y + dy);
      found = largest ? fmaxf(found, other) : fminf(found, other);
    }
  to[p.here()] = found;
}

__device__ int level_of(float value) {
  return min(static_cast<int>(value * kLevels), kLevels - 1);
}

__global__ void count(const float* image, unsigned* counts) {
  __shared__ unsigned own[kLevels];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kLevels + threadIdx.x; i < kAll; i += gridDim.x * kLevels)
    atomicAdd(own + level_of(image[i]), 1);
  __syncthreads();
  atomicAdd(counts + threadIdx.x, own[threadIdx.x]);
}

__global__ void add_counts(const unsigned* counts, float* shares) {
  __shared__ unsigned sums[kLevels];
  sums[threadIdx.x] = counts[threadIdx.x];
  for (unsigned distance = 1; distance < kLevels; distance *= 2) {
    __syncthreads();
    const unsigned before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
  }
  shares[threadIdx.x] = static_cast<float>(sums[threadIdx.x]) / kAll;
}

__global__ void equalise(const float* grey, const float* edges, const float* shares, unsigned char* to) {
  const Point p;
  if (!p.inside()) return;
  const float value = fminf(shares[level_of(grey[p.here()])] + edges[p.here()], 1.0f);
  to[p.here()] = static_cast<unsigned char>(255 * value);
}

cudaTextureObject_t texture_of(uchar4* image, size_t pitch) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {image, cudaCreateChannelDesc<uchar4>(), kWidth, kHeight, pitch};
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  description.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

void set_taps() {
  float weights[2 * kRadius + 1], sum = 0;
  for (int k = -kRadius; k <= kRadius; ++k) sum += weights[k + kRadius] = std::exp(-0.5f * k * k / 9.0f);
  for (float& weight : weights) weight /= sum;
  CHECK(cudaMemcpyToSymbol(taps, weights, sizeof weights));
}

template <typename T>
T* on_host(size_t count) {
  T* values = nullptr;
  CHECK(cudaMallocHost(&values, count * sizeof(T)));
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  set_taps();
  constexpr size_t kRow = kWidth * sizeof(uchar4);
  auto* camera = on_host<uchar4>(kAll);
  for (uint32_t i = 0; i < kAll; ++i) {
    const auto value = static_cast<unsigned char>(i % kWidth / 8 + 15 * drawn(i, 9));
    camera[i] = {value, static_cast<unsigned char>(value / 2), static_cast<unsigned char>(255 - value), 255};
  }
  auto* shown = on_host<unsigned char>(kAll);
  uchar4* image = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&image, &pitch, kRow, kHeight));
  const cudaTextureObject_t texture = texture_of(image, pitch);
  auto *grey = zeros<float>(kAll), *first = zeros<float>(kAll), *second = zeros<float>(kAll),
       *shares = zeros<float>(kLevels);
  auto* counts = zeros<unsigned>(kLevels);
  auto* result = zeros<unsigned char>(kAll);
  const dim3 threads(32, 8), tiles(kWidth / 32, kHeight / 8);
  for (int i = 0; i < iterations(argc, argv); ++i) {
    CHECK(cudaMemcpy2DAsync(image, pitch, camera, kRow, kRow, kHeight, cudaMemcpyHostToDevice));
    straighten_to_grey<<<tiles, threads>>>(texture, grey);
    blur<true><<<tiles, threads>>>(grey, first);
    blur<false><<<tiles, threads>>>(first, second);
    find_edges<<<tiles, threads>>>(second, first);
    spread<true><<<tiles, threads>>>(first, second);
    spread<false><<<tiles, threads>>>(second, first);
    CHECK(cudaMemsetAsync(counts, 0, kLevels * sizeof(unsigned)));
    count<<<128, kLevels>>>(grey, counts);
    add_counts<<<1, kLevels>>>(counts, shares);
    equalise<<<tiles, threads>>>(grey, first, shares, result);
    CHECK(cudaMemcpyAsync(shown, result, kAll, cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGetLastError());
  }
  double sum = 0;
  for (int i = 0; i < kAll; ++i) sum += shown[i];
  return ended_with(sum > 0 ? sum / kAll : NAN);
}
