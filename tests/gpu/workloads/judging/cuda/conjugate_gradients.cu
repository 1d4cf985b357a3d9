// Poisson's equation on 512 x 512 points: 25 steps of conjugate gradients from zero, cuSPARSE for the
// products with the matrix, cuBLAS for the rest. Scalars stay on the device; the host reads the last
// residual.
//
// usage: conjugate_gradients [ITERATIONS]
#include <cublas_v2.h>
#include <cusparse.h>

#include "program.cuh"

namespace {

constexpr int kSide = 512, kRows = kSide * kSide, kSteps = 25;

struct Matrix {
  std::vector<int> begins{0}, columns;
  std::vector<float> values;

  void add(int column, float value) {
    columns.push_back(column);
    values.push_back(value);
  }
};

Matrix poisson() {
  Matrix matrix;
  for (int row = 0; row < kRows; ++row) {
    const int x = row % kSide, y = row / kSide;
    if (y > 0) matrix.add(row - kSide, -1);
    if (x > 0) matrix.add(row - 1, -1);
    matrix.add(row, 4);
    if (x < kSide - 1) matrix.add(row + 1, -1);
    if (y < kSide - 1) matrix.add(row + kSide, -1);
    matrix.begins.push_back(static_cast<int>(matrix.columns.size()));
  }
  return matrix;
}

/// Where each scalar lies on the device.
enum Scalar { kSquare, kNewSquare, kAlong, kStep, kMinusStep, kShare, kOne, kScalars };

__global__ void find_step(float* scalars) {
  scalars[kStep] = scalars[kSquare] / scalars[kAlong];
  scalars[kMinusStep] = -scalars[kStep];
}

__global__ void find_share(float* scalars) {
  scalars[kShare] = scalars[kNewSquare] / scalars[kSquare];
  scalars[kSquare] = scalars[kNewSquare];
}

class Solver {
 public:
  Solver() {
    const Matrix matrix = poisson();
    const auto entries = static_cast<int64_t>(matrix.values.size());
    CHECK(cublasCreate(&cublas_));
    CHECK(cublasSetPointerMode(cublas_, CUBLAS_POINTER_MODE_DEVICE));
    CHECK(cusparseCreate(&cusparse_));
    CHECK(cusparseCreateCsr(&matrix_, kRows, kRows, entries, on_device(matrix.begins),
                            on_device(matrix.columns), on_device(matrix.values), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&direction_of_, kRows, direction_, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&product_of_, kRows, product_, CUDA_R_32F));
    size_t bytes = 0;
    CHECK(cusparseSpMV_bufferSize(cusparse_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, direction_of_,
                                  &zero_, product_of_, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    buffer_ = zeros<char>(static_cast<int64_t>(bytes) + 1);
    CHECK(cudaMemcpy(scalars_ + kOne, &one_, sizeof one_, cudaMemcpyHostToDevice));
  }

  float solve() {
    CHECK(cudaMemsetAsync(solution_, 0, kRows * sizeof(float)));
    for (float* start : {residual_, direction_})
      CHECK(cudaMemcpyAsync(start, right_, kRows * sizeof(float), cudaMemcpyDeviceToDevice));
    dot(residual_, residual_, kSquare);
    for (int i = 0; i < kSteps; ++i) step();
    return first_of(scalars_ + kSquare);
  }

 private:
  void step() {
    CHECK(cusparseSpMV(cusparse_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, direction_of_, &zero_,
                       product_of_, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer_));
    dot(direction_, product_, kAlong);
    find_step<<<1, 1>>>(scalars_);
    add(kStep, direction_, solution_);
    add(kMinusStep, product_, residual_);
    dot(residual_, residual_, kNewSquare);
    find_share<<<1, 1>>>(scalars_);
    CHECK(cublasSscal(cublas_, kRows, scalars_ + kShare, direction_, 1));
    add(kOne, residual_, direction_);
    CHECK(cudaGetLastError());
  }

  void dot(const float* a, const float* b, Scalar to) {
    CHECK(cublasSdot(cublas_, kRows, a, 1, b, 1, scalars_ + to));
  }
  void add(Scalar factor, const float* from, float* to) {
    CHECK(cublasSaxpy(cublas_, kRows, scalars_ + factor, from, 1, to, 1));
  }

  float one_ = 1, zero_ = 0;
  cublasHandle_t cublas_{};
  cusparseHandle_t cusparse_{};
  cusparseSpMatDescr_t matrix_{};
  cusparseDnVecDescr_t direction_of_{}, product_of_{};
  float *solution_ = zeros<float>(kRows), *residual_ = zeros<float>(kRows), *direction_ = zeros<float>(kRows),
        *product_ = zeros<float>(kRows), *right_ = random_values(kRows, -1, 1, 3),
        *scalars_ = zeros<float>(kScalars);
  char* buffer_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  Solver solver;
  float square = 0;
  for (int i = 0; i < iterations(argc, argv); ++i) square = solver.solve();
  return ended_with(square);
}
