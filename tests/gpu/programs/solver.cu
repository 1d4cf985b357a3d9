// Conjugate gradients for a diagonally dominant five-point stencil on 128 x 128 cells, until the residual has
// fallen by a factor of 10^6. The host reads the residual in every iteration. The order of additions in a dot
// product varies, but rounding changes residuals by far less than the distance of the last residuals from the
// limit. Therefore the number of iterations is always the same.
#include "check.cuh"

namespace {

constexpr int kSide = 128;
constexpr int kCells = kSide * kSide;
constexpr int kBlocks = kCells / kThreads;
constexpr double kLimit = 1e-12 * kCells;  // limit of the squared residual, which begins with kCells

struct Scalars {
  double direction_product, new_residual, residual, beta;
};

__global__ void start(double* x, double* r, double* p, Scalars* scalars) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 0;
  r[i] = p[i] = 1;
  if (i == 0) *scalars = {0, 0, kCells, 0};
}

__global__ void multiply(const double* p, double* q, Scalars* scalars) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = i % kSide, row = i / kSide;
  double sum = 4.05 * p[i];
  if (column > 0) sum -= p[i - 1];
  if (column < kSide - 1) sum -= p[i + 1];
  if (row > 0) sum -= p[i - kSide];
  if (row < kSide - 1) sum -= p[i + kSide];
  q[i] = sum;
  atomicAdd(&scalars->direction_product, p[i] * sum);
}

__global__ void advance(double* x, double* r, const double* p, const double* q, Scalars* scalars) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double alpha = scalars->residual / scalars->direction_product;
  x[i] += alpha * p[i];
  r[i] -= alpha * q[i];
  atomicAdd(&scalars->new_residual, r[i] * r[i]);
}

__global__ void update_scalars(Scalars* scalars) {
  *scalars = {0, 0, scalars->new_residual, scalars->new_residual / scalars->residual};
}

__global__ void turn(const double* r, double* p, const Scalars* scalars) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = r[i] + scalars->beta * p[i];
}

}  // namespace

int main() {
  const DeviceArray<double> x(kCells), r(kCells), p(kCells), q(kCells);
  const DeviceArray<Scalars> scalars(1);
  start<<<kBlocks, kThreads>>>(x, r, p, scalars);
  double residual = kCells;
  while (residual > kLimit) {
    multiply<<<kBlocks, kThreads>>>(p, q, scalars);
    advance<<<kBlocks, kThreads>>>(x, r, p, q, scalars);
    update_scalars<<<1, 1>>>(scalars);
    turn<<<kBlocks, kThreads>>>(r, p, scalars);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&residual, &scalars.get()->residual, sizeof(residual), cudaMemcpyDeviceToHost));
  }
  return finish(checksum<double>(x));
}
