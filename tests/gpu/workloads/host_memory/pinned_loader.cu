// Training with a loader: a thread makes batches in page-locked memory, the main thread sends them without
// waiting and trains two dense layers with them. It reads the loss in every tenth step only.
//
// Difficult: the memory of a batch is written by another thread, while the main thread launches, and is used
// again as soon as its copy has run.
//
// usage: pinned_loader [STEPS]    STEPS is 19,000 by default; each takes about 1.3 ms
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "shared.cuh"

namespace {

constexpr int kSamples = 1024, kInputs = 1024, kHidden = 512, kOutputs = 16;
constexpr int kBatch = kSamples * (kInputs + kOutputs);  // inputs, and the outputs wanted
constexpr int kBatches = 6;                              // in memory
constexpr int kTile = 16;

/// Numbers of batches, handed from one thread to the other.
class Queue {
 public:
  void put(int batch) {
    {
      const std::lock_guard lock(mutex_);
      batches_.push_back(batch);
    }
    changed_.notify_one();
  }

  int take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !batches_.empty(); });
    const int batch = batches_.front();
    batches_.pop_front();
    return batch;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> batches_;
};

__global__ void begin(float* weights, float scale, uint32_t seed) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  weights[i] = scale * number(mixed(i + seed));
}

/// c = a b, of a or b transposed if so wanted.
template <bool kTurnA, bool kTurnB>
__global__ void multiply(const float* a, const float* b, float* c, int rows, int columns, int inner) {
  __shared__ float of_a[kTile][kTile + 1], of_b[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  float sum = 0;
  for (int k = 0; k < inner; k += kTile) {
    if constexpr (kTurnA) {
      of_a[x][y] = a[(k + y) * rows + row + x];
    } else {
      of_a[y][x] = a[(row + y) * inner + k + x];
    }
    if constexpr (kTurnB) {
      of_b[x][y] = b[(column + y) * inner + k + x];
    } else {
      of_b[y][x] = b[(k + y) * columns + column + x];
    }
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += of_a[y][i] * of_b[i][x];
    __syncthreads();
  }
  c[(row + y) * columns + column + x] = sum;
}

__global__ void rectify(float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = fmaxf(values[i], 0);
}

__global__ void mask(float* gradients, const float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (values[i] <= 0) gradients[i] = 0;
}

/// The gradient at the outputs.
__global__ void compare(const float* outputs, const float* wanted, float* gradients) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  gradients[i] = outputs[i] - wanted[i];
}

/// The mean square; one block.
__global__ void mean_square(const float* gradients, float* loss) {
  __shared__ float sums[kThreads];
  float sum = 0;
  for (int i = threadIdx.x; i < kSamples * kOutputs; i += kThreads) sum += gradients[i] * gradients[i];
  sums[threadIdx.x] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *loss = sums[0] / (kSamples * kOutputs);
}

__global__ void update(float* weights, const float* gradients, float rate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  weights[i] -= rate * (gradients[i] / kSamples + 1e-4f * weights[i]);
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 19000;
  const PinnedArray<float> batches(size_t{kBatches} * kBatch), loss_read(1);
  const DeviceArray<float> batch(kBatch), hidden(kSamples * kHidden), outputs(kSamples * kOutputs), loss(1);
  const DeviceArray<float> at_hidden(kSamples * kHidden), at_outputs(kSamples * kOutputs);
  const DeviceArray<float> first(kInputs * kHidden), at_first(kInputs * kHidden);
  const DeviceArray<float> last(kHidden * kOutputs), at_last(kHidden * kOutputs);
  begin<<<kInputs * kHidden / kThreads, kThreads>>>(first, 0.1f, 1);
  begin<<<kHidden * kOutputs / kThreads, kThreads>>>(last, 0.1f, 2);
  Fingerprint fingerprint;
  CHECK(cudaDeviceSynchronize());
  const Stream stream;
  const Event sent[kBatches];

  Queue empty, full;
  for (int i = 0; i < kBatches; ++i) empty.put(i);
  std::thread loader([&] {
    for (int step = 0; step < steps; ++step) {
      const int next = empty.take();
      fill(batches + size_t{kBatch} * next, kBatch, step);
      full.put(next);
    }
  });

  const dim3 tile(kTile, kTile);
  const float* wanted = batch + kSamples * kInputs;
  std::deque<int> under_way;
  float rate = 0.01f, before = 1e9f;
  for (int step = 0; step < steps; ++step) {
    const int next = full.take();
    CHECK(cudaMemcpyAsync(batch, batches + size_t{kBatch} * next, kBatch * sizeof(float),
                          cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(sent[next], stream));
    under_way.push_back(next);
    if (under_way.size() > 2) {
      CHECK(cudaEventSynchronize(sent[under_way.front()]));
      empty.put(under_way.front());
      under_way.pop_front();
    }
    multiply<false, false><<<dim3(kHidden / kTile, kSamples / kTile), tile, 0, stream>>>(
        batch, first, hidden, kSamples, kHidden, kInputs);
    rectify<<<kSamples * kHidden / kThreads, kThreads, 0, stream>>>(hidden);
    multiply<false, false><<<dim3(kOutputs / kTile, kSamples / kTile), tile, 0, stream>>>(
        hidden, last, outputs, kSamples, kOutputs, kHidden);
    compare<<<kSamples * kOutputs / kThreads, kThreads, 0, stream>>>(outputs, wanted, at_outputs);
    mean_square<<<1, kThreads, 0, stream>>>(at_outputs, loss);
    multiply<true, false><<<dim3(kOutputs / kTile, kHidden / kTile), tile, 0, stream>>>(
        hidden, at_outputs, at_last, kHidden, kOutputs, kSamples);
    multiply<false, true><<<dim3(kHidden / kTile, kSamples / kTile), tile, 0, stream>>>(
        at_outputs, last, at_hidden, kSamples, kHidden, kOutputs);
    mask<<<kSamples * kHidden / kThreads, kThreads, 0, stream>>>(at_hidden, hidden);
    multiply<true, false><<<dim3(kHidden / kTile, kInputs / kTile), tile, 0, stream>>>(
        batch, at_hidden, at_first, kInputs, kHidden, kSamples);
    update<<<kInputs * kHidden / kThreads, kThreads, 0, stream>>>(first, at_first, rate);
    update<<<kHidden * kOutputs / kThreads, kThreads, 0, stream>>>(last, at_last, rate);
    fingerprint.add(batch.get(), kBatch, stream);
    if (step % 10 == 9) {
      CHECK(cudaMemcpyAsync(loss_read, loss, sizeof(float), cudaMemcpyDeviceToHost, stream));
      CHECK(cudaStreamSynchronize(stream));
      if (*loss_read > before) rate = std::max(1e-3f, 0.999f * rate);
      before = *loss_read;
    }
  }
  loader.join();
  fingerprint.add(first.get(), kInputs * kHidden, stream);
  fingerprint.add(last.get(), kHidden * kOutputs, stream);
  return finish(fingerprint.sum());
}
