// A small network trained by a loop as people write it: before each step the host computes the parameters of
// the batch, and before each layer's update those of the layer, and copies them to the device.
//
// Difficult: structs of 48 bytes, one from page-locked memory and three from members of a std::vector, which
// the host overwrites while the kernels of earlier steps have yet to run. In every fourth step the host reads
// the loss, 4 bytes, and all parameters that follow depend on it; no other call has to wait.
//
// usage: parameters_each_step [STEPS]    STEPS is 30,000 by default; each takes about 0.7 ms
#include <algorithm>
#include <cmath>

#include "shared.cuh"

namespace {

constexpr int kLayers = 3;
constexpr int kWidths[kLayers + 1] = {256, 512, 512, 256};
constexpr int kEnd = 256;  // width of inputs and outputs
constexpr int kWidest = 512;
constexpr int kBatch = 1024;
constexpr int kSamples = 1 << 14;
constexpr int kTile = 16;
constexpr int kPartial = kThreads;
constexpr int kReadEach = 4;  // steps

struct BatchParameters {
  int step = 0;
  uint32_t seed = 0, seed_of_partners = 0;
  float mix = 1, smoothing = 0;  // of samples with partners; of what is to be learned
  float amplitude = 1, noise = 0;
  float keep = 1, scale_of_kept = 1;
  float slope = 0, knee = 1;  // of the activation below 0; of the loss
  float loss_scale = 1;
};
static_assert(sizeof(BatchParameters) == 48);

struct LayerParameters {
  float rate = 0, momentum = 0, dampening = 0, nesterov = 0;
  float decay = 0, clipped_at = 0, unscale = 1, largest = 1;
  float noise = 0, average = 0;
  int step = 0;
  uint32_t seed = 0;
};
static_assert(sizeof(LayerParameters) == 48);

__device__ float sum_of_block(float value) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  return sums[0];
}

/// What the network is to learn.
__global__ void label(const float* samples, float* labels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / kEnd, column = i % kEnd;
  labels[i] = sinpif(samples[i] + samples[row * kEnd + (7 * column + 1) % kEnd]);
}

/// Chooses samples by chance, and mixes each with a partner.
__global__ void choose(const float* samples, const float* labels, float* inputs, float* wanted,
                       const BatchParameters* batch) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, row = i / kEnd, column = i % kEnd;
  const uint32_t sample = mixed(row ^ batch->seed) % kSamples * kEnd + column;
  const uint32_t partner = mixed(row ^ batch->seed_of_partners) % kSamples * kEnd + column;
  const float mix = batch->mix, noise = batch->noise * number(mixed(i ^ mixed(batch->step)));
  inputs[i] = batch->amplitude * (mix * samples[sample] + (1 - mix) * samples[partner]) + noise;
  wanted[i] = (1 - batch->smoothing) * (mix * labels[sample] + (1 - mix) * labels[partner]);
}

/// c = a b, of which each may be stored transposed; c has the grid's size in tiles.
template <bool kTransposedA, bool kTransposedB>
__global__ void multiply(const float* a, const float* b, float* c, int inner) {
  __shared__ float of_a[kTile][kTile + 1], of_b[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  const int rows = gridDim.y * kTile, columns = gridDim.x * kTile;
  float sum = 0;
  for (int first = 0; first < inner; first += kTile) {
    if constexpr (kTransposedA)
      of_a[x][y] = a[(first + y) * rows + first_row + x];
    else
      of_a[y][x] = a[(first_row + y) * inner + first + x];
    if constexpr (kTransposedB)
      of_b[x][y] = b[(first_column + y) * inner + first + x];
    else
      of_b[y][x] = b[(first + y) * columns + first_column + x];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += of_a[y][k] * of_b[k][x];
    __syncthreads();
  }
  c[(first_row + y) * columns + first_column + x] = sum;
}

/// The activation, and some values dropped by chance.
__global__ void activate(float* values, const BatchParameters* batch, int layer) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = values[i];
  const bool kept = number(mixed(i ^ mixed(batch->seed + layer))) + 0.5f < batch->keep;
  values[i] = kept ? batch->scale_of_kept * (value > 0 ? value : batch->slope * value) : 0;
}

__global__ void deactivate(const float* values, float* errors, const BatchParameters* batch) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = values[i], scale = value == 0 ? 0 : batch->scale_of_kept;
  errors[i] *= value > 0 ? scale : scale * batch->slope;
}

/// The loss, quadratic up to the knee and linear behind it, and its derivative.
__global__ void compare(const float* outputs, const float* wanted, float* errors, float* partial,
                        const BatchParameters* batch) {
  const float knee = batch->knee, scale = batch->loss_scale / kBatch;
  float sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kBatch * kEnd; i += kPartial * kThreads) {
    const float error = outputs[i] - wanted[i], limited = fminf(fmaxf(error, -knee), knee);
    sum += limited * (error - 0.5f * limited);
    errors[i] = scale * limited;
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

/// One block.
__global__ void add_up(const float* partial, float* loss) {
  const float sum = sum_of_block(partial[threadIdx.x]);
  if (threadIdx.x == 0) *loss = sum / (kBatch * kEnd);
}

__global__ void add_squares(const float* gradients, int count, float* partial) {
  float sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < count; i += kPartial * kThreads)
    sum += gradients[i] * gradients[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

/// Gradient descent with momentum.
__global__ void update(float* weights, float* velocities, float* averages, const float* gradients,
                       const float* partial, const LayerParameters* parameters) {
  const LayerParameters p = *parameters;
  const float norm = p.unscale * sqrtf(sum_of_block(partial[threadIdx.x])) + 1e-12f;
  const uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  const float gradient = p.unscale * fminf(1, p.clipped_at / norm) * gradients[i] + p.decay * weights[i] +
                         p.noise * number(mixed(i ^ mixed(p.seed + p.step)));
  const float velocity = p.momentum * velocities[i] + (1 - p.dampening) * gradient;
  const float weight = weights[i] - p.rate * (velocity + p.nesterov * (gradient - velocity));
  velocities[i] = velocity;
  weights[i] = fminf(fmaxf(weight, -p.largest), p.largest);
  averages[i] += p.average * (weights[i] - averages[i]);
}

template <bool kTransposedA = false, bool kTransposedB = false>
void product(const float* a, const float* b, float* c, int rows, int columns, int inner) {
  multiply<kTransposedA, kTransposedB>
      <<<dim3(columns / kTile, rows / kTile), dim3(kTile, kTile)>>>(a, b, c, inner);
}

struct Layer {
  int inputs, outputs, weights;
  size_t at;  // where its weights begin
  LayerParameters parameters;
};

/// What the host has learned from the losses that it read.
struct Progress {
  float loss = 1, mean = 1, factor = 1;

  void add(float read) {
    loss = read;
    mean += 0.05f * (loss - mean);
    factor = std::clamp(factor * (loss > mean ? 0.97f : 1.02f), 0.2f, 2.f);
  }
};

BatchParameters next_batch(int step, const Progress& progress) {
  BatchParameters next;
  next.step = step;
  next.seed = mixed(2 * step);
  next.seed_of_partners = mixed(2 * step + 1);
  next.mix = 0.75f + 0.5f * number(mixed(next.seed));
  next.smoothing = 0.1f * progress.factor / (1 + 1e-3f * step);
  next.amplitude = 1 + 0.2f * number(mixed(next.seed_of_partners));
  next.noise = 0.2f * std::sqrt(progress.loss);
  next.keep = 0.9f + 0.05f * std::cos(0.02f * step);
  next.scale_of_kept = 1 / next.keep;
  next.slope = 0.05f + 0.01f * (step % 7);
  next.knee = 0.5f + progress.mean;
  next.loss_scale = 128 << step / 16 % 8;
  return next;
}

void set_next(LayerParameters& of_layer, int step, int layer, float loss_scale, const Progress& progress) {
  const float warm = std::min(1.f, (step + 1) / 200.f);
  of_layer.rate = 0.02f * warm * progress.factor * (1.2f + std::cos(3e-3f * step + layer));
  of_layer.momentum = 0.85f + 0.1f * warm - 0.01f * layer;
  of_layer.dampening = 0.05f * progress.factor;
  of_layer.nesterov = step / 50 % 2 ? 0.1f : 0.2f * warm;
  of_layer.decay = 1e-4f * (layer + 1) * progress.factor;
  of_layer.clipped_at = 0.5f + 2 * progress.mean;
  of_layer.unscale = 1 / loss_scale;
  of_layer.largest = 1 + 0.25f * layer + progress.loss;
  of_layer.noise = 0.01f / std::sqrt(step + 1.f);
  of_layer.average = std::max(1.f / (step + 1), 1e-3f);
  of_layer.step = step;
  of_layer.seed = mixed(step * kLayers + layer);
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 30000;
  std::vector<Layer> layers;
  size_t all = 0;
  for (int layer = 0; layer < kLayers; ++layer) {
    const int inputs = kWidths[layer], outputs = kWidths[layer + 1];
    layers.push_back({inputs, outputs, inputs * outputs, all, {}});
    all += inputs * outputs;
  }
  std::vector<float> values(std::max(all, size_t{kSamples} * kEnd));
  const DeviceArray<float> weights(all), velocities(all), averages(all), gradients(all);
  fill(values.data(), all, 1);
  for (size_t i = 0; i < all; ++i) values[i] *= 0.2f;
  CHECK(cudaMemcpy(weights, values.data(), all * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(velocities, 0, all * sizeof(float)));
  CHECK(cudaMemset(averages, 0, all * sizeof(float)));
  const DeviceArray<float> samples(kSamples * kEnd), labels(kSamples * kEnd);
  fill(values.data(), kSamples * kEnd, 2);
  CHECK(cudaMemcpy(samples, values.data(), kSamples * kEnd * sizeof(float), cudaMemcpyHostToDevice));
  label<<<kSamples * kEnd / kThreads, kThreads>>>(samples, labels);

  // What goes into each layer; the last ones are the outputs.
  const DeviceArray<float> activations[kLayers + 1] = {
      DeviceArray<float>(kBatch * kWidths[0]), DeviceArray<float>(kBatch * kWidths[1]),
      DeviceArray<float>(kBatch * kWidths[2]), DeviceArray<float>(kBatch * kWidths[3])};
  const DeviceArray<float> wanted(kBatch * kEnd), partial(kPartial), loss(1);
  const DeviceArray<float> first_errors(kBatch * kWidest), second_errors(kBatch * kWidest);
  const DeviceArray<BatchParameters> batch(1);
  const DeviceArray<LayerParameters> of_layers(kLayers);
  const PinnedArray<BatchParameters> batches(kReadEach);
  Fingerprint fingerprint;
  Progress progress;

  for (int step = 0; step < steps; ++step) {
    // The copy from here has run: since then the host has read a loss.
    BatchParameters& next = batches[step % kReadEach];
    next = next_batch(step, progress);
    CHECK(cudaMemcpyAsync(batch, &next, sizeof next, cudaMemcpyHostToDevice));
    choose<<<kBatch * kEnd / kThreads, kThreads>>>(samples, labels, activations[0], wanted, batch);
    for (int i = 0; i < kLayers; ++i) {
      const Layer& layer = layers[i];
      product(activations[i], weights + layer.at, activations[i + 1], kBatch, layer.outputs, layer.inputs);
      if (i + 1 < kLayers)
        activate<<<kBatch * layer.outputs / kThreads, kThreads>>>(activations[i + 1], batch, i);
    }
    float *errors = first_errors, *before = second_errors;
    compare<<<kPartial, kThreads>>>(activations[kLayers], wanted, errors, partial, batch);
    add_up<<<1, kThreads>>>(partial, loss);
    for (int i = kLayers - 1; i >= 0; --i) {
      Layer& layer = layers[i];
      product<true>(activations[i], errors, gradients + layer.at, layer.inputs, layer.outputs, kBatch);
      if (i > 0) {
        product<false, true>(errors, weights + layer.at, before, kBatch, layer.inputs, layer.outputs);
        deactivate<<<kBatch * layer.inputs / kThreads, kThreads>>>(activations[i], before, batch);
        std::swap(errors, before);
      }
      add_squares<<<kPartial, kThreads>>>(gradients + layer.at, layer.weights, partial);
      set_next(layer.parameters, step, i, next.loss_scale, progress);
      CHECK(
          cudaMemcpyAsync(of_layers + i, &layer.parameters, sizeof layer.parameters, cudaMemcpyHostToDevice));
      update<<<layer.weights / kThreads, kThreads>>>(weights + layer.at, velocities + layer.at,
                                                     averages + layer.at, gradients + layer.at, partial,
                                                     of_layers + i);
    }
    const Layer& shown = layers[step % kLayers];
    fingerprint.add(batch.get(), 1);
    fingerprint.add(of_layers.get(), kLayers);
    fingerprint.add((step % 2 ? averages : weights) + shown.at, shown.weights);
    if (step % kReadEach == kReadEach - 1) {
      float read = 0;
      CHECK(cudaMemcpy(&read, loss, sizeof read, cudaMemcpyDeviceToHost));
      progress.add(read);
    }
  }
  return finish(fingerprint.sum());
}
