// Training of four dense layers, 1024 rows of 1024 values: products by cuBLASLt with bias and ReLU in their
// epilogues, TF32, own kernels for the loss, the gradients of biases and the steps with momentum. The host
// never waits.
//
// usage: lt_train [ITERATIONS]
#include <cublasLt.h>

#include "program.cuh"

namespace {

constexpr int kLayers = 4, kWidth = 1024, kRows = 1024;
constexpr int64_t kWeights = int64_t{kWidth} * kWidth, kValues = int64_t{kRows} * kWidth;
constexpr size_t kWorkspace = size_t{32} << 20;
constexpr float kRate = 0.001f;

/// The loss is the mean of the squares.
__global__ void subtract(const float* found, const float* wanted, float* gradient, float* loss) {
  float sum = 0;
  for (int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x; i < kValues;
       i += int64_t{gridDim.x} * kThreads) {
    const float difference = found[i] - wanted[i];
    gradient[i] = 2 * difference / kRows;
    sum += difference * difference;
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(loss, sum / kValues);
}

__global__ void cut(const float* values, float* gradient) {
  const int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (values[i] <= 0) gradient[i] = 0;
}

/// A block of 32 x 8 threads adds up 32 columns.
__global__ void add_rows(const float* gradient, float* bias_gradient) {
  __shared__ float parts[8][32];
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int row = threadIdx.y; row < kRows; row += 8) sum += gradient[row * kWidth + column];
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0) return;
  for (int part = 1; part < 8; ++part) sum += parts[part][threadIdx.x];
  bias_gradient[column] = sum;
}

__global__ void update(float* parameters, float* speeds, const float* gradient, int64_t count) {
  const int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (i >= count) return;
  speeds[i] = 0.9f * speeds[i] + gradient[i];
  parameters[i] -= kRate * speeds[i];
}

/// C = op(A) op(B) of matrices of 1024 x 1024, columns one after another, with a bias for each row of C where
/// one is given.
class Product {
 public:
  Product(cublasLtHandle_t cublas, cublasOperation_t a, cublasOperation_t b, cublasLtEpilogue_t epilogue,
          const float* bias)
      : cublas_(cublas) {
    CHECK(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F));
    set(CUBLASLT_MATMUL_DESC_TRANSA, a);
    set(CUBLASLT_MATMUL_DESC_TRANSB, b);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    if (bias != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    CHECK(cublasLtMatrixLayoutCreate(&layout_, CUDA_R_32F, kWidth, kRows, kWidth));
    cublasLtMatmulPreference_t preference{};
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &kWorkspace, sizeof kWorkspace));
    int count = 0;
    CHECK(cublasLtMatmulAlgoGetHeuristic(cublas_, operation_, layout_, layout_, layout_, layout_, preference,
                                         1, &found_, &count));
    CHECK(count == 1 ? 0 : 1);
  }

  void operator()(const float* a, const float* b, float* c, const float* bias, void* workspace) {
    const float one = 1, zero = 0;
    if (bias != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    CHECK(cublasLtMatmul(cublas_, operation_, &one, a, layout_, b, layout_, &zero, c, layout_, c, layout_,
                         &found_.algo, workspace, kWorkspace, nullptr));
  }

 private:
  template <typename T>
  void set(cublasLtMatmulDescAttributes_t what, T value) {
    CHECK(cublasLtMatmulDescSetAttribute(operation_, what, &value, sizeof value));
  }

  cublasLtHandle_t cublas_;
  cublasLtMatmulDesc_t operation_{};
  cublasLtMatrixLayout_t layout_{};
  cublasLtMatmulHeuristicResult_t found_{};
};

struct Layer {
  float* weights = random_values(kWeights, -0.04f, 0.04f, 1);
  float *weight_speeds = zeros<float>(kWeights), *weight_gradient = zeros<float>(kWeights);
  float *bias = zeros<float>(kWidth), *bias_speeds = zeros<float>(kWidth),
        *bias_gradient = zeros<float>(kWidth);
  float *values = zeros<float>(kValues), *gradient = zeros<float>(kValues);
};

}  // namespace

int main(int argc, char** argv) {
  cublasLtHandle_t cublas{};
  CHECK(cublasLtCreate(&cublas));
  std::vector<Layer> layers(kLayers);
  // A row of values is a column here: values = weights^T entering, and likewise back.
  Product forward(cublas, CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_EPILOGUE_RELU_BIAS, layers[0].bias);
  Product last(cublas, CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_EPILOGUE_BIAS, layers[0].bias);
  Product backward(cublas, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, nullptr);
  Product outer(cublas, CUBLAS_OP_N, CUBLAS_OP_T, CUBLASLT_EPILOGUE_DEFAULT, nullptr);
  const float *entering = random_values(kValues, -1, 1, 2), *wanted = random_values(kValues, -1, 1, 3);
  float* loss = zeros<float>(1);
  void* workspace = zeros<char>(kWorkspace);
  const auto values_before = [&](int i) { return i == 0 ? entering : layers[i - 1].values; };
  for (int i = 0; i < iterations(argc, argv); ++i) {
    for (int l = 0; l < kLayers; ++l)
      (l == kLayers - 1 ? last : forward)(layers[l].weights, values_before(l), layers[l].values,
                                          layers[l].bias, workspace);
    CHECK(cudaMemsetAsync(loss, 0, sizeof(float)));
    subtract<<<256, kThreads>>>(layers.back().values, wanted, layers.back().gradient, loss);
    for (int l = kLayers - 1; l >= 0; --l) {
      Layer& layer = layers[l];
      outer(values_before(l), layer.gradient, layer.weight_gradient, nullptr, workspace);
      add_rows<<<kWidth / 32, dim3(32, 8)>>>(layer.gradient, layer.bias_gradient);
      if (l > 0) {
        backward(layer.weights, layer.gradient, layers[l - 1].gradient, nullptr, workspace);
        cut<<<blocks(kValues), kThreads>>>(layers[l - 1].values, layers[l - 1].gradient);
      }
      update<<<blocks(kWeights), kThreads>>>(layer.weights, layer.weight_speeds, layer.weight_gradient,
                                             kWeights);
      update<<<blocks(kWidth), kThreads>>>(layer.bias, layer.bias_speeds, layer.bias_gradient, kWidth);
    }
    CHECK(cudaGetLastError());
  }
  return ended_with(first_of(loss));
}
