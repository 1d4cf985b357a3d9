// Device code of the fused causal softmax, which kjoule-torch contains as PTX. Columns 0 to r of row r
// receive their softmax, and the later columns receive 0. A block of 128 threads computes one row, which it
// reads once and keeps as floats in shared memory.

typedef unsigned short half_bits;

constexpr int kThreads = 128;

struct Half {
  half_bits bits;
  __device__ float value() const {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
    return f;
  }
  __device__ static Half of(float f) {
    Half h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f));
    return h;
  }
};

// A bfloat16 number: the upper half of a float, rounded to nearest, ties to even.
struct Brain {
  half_bits bits;
  __device__ float value() const { return __uint_as_float(static_cast<unsigned>(bits) << 16); }
  __device__ static Brain of(float f) {
    const unsigned all = __float_as_uint(f);
    Brain b;
    b.bits = static_cast<half_bits>((all + 0x7fff + ((all >> 16) & 1)) >> 16);
    return b;
  }
};

struct Single {
  float number;
  __device__ float value() const { return number; }
  __device__ static Single of(float f) {
    Single s;
    s.number = f;
    return s;
  }
};

struct Larger {
  __device__ static float join(float a, float b) { return a > b ? a : b; }
};
struct Sum {
  __device__ static float join(float a, float b) { return a + b; }
};

// Returns the values of all threads of the block, joined by `Join`, in every thread.
template <class Join>
__device__ float of_block(float value) {
  __shared__ float parts[kThreads / 32];
  for (int step = 16; step > 0; step /= 2) value = Join::join(value, __shfl_xor_sync(~0u, value, step));
  __syncthreads();  // threads may still read the parts of the previous value
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[0];
  for (int i = 1; i < kThreads / 32; ++i) value = Join::join(value, parts[i]);
  return value;
}

template <class T>
__device__ void forward(T* to, const T* from, int columns) {
  extern __shared__ float kept[];
  const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * columns;
  const int used = blockIdx.x % columns + 1;
  float largest = -3.4e38f;
  for (int i = threadIdx.x; i < used; i += kThreads) {
    kept[i] = from[first + i].value();
    largest = Larger::join(largest, kept[i]);
  }
  largest = of_block<Larger>(largest);
  float sum = 0;
  for (int i = threadIdx.x; i < used; i += kThreads) {
    kept[i] = __expf(kept[i] - largest);
    sum += kept[i];
  }
  const float scale = 1 / of_block<Sum>(sum);
  for (int i = threadIdx.x; i < columns; i += kThreads) to[first + i] = T::of(i < used ? kept[i] * scale : 0.0f);
}

template <class T>
__device__ void backward(T* to, const T* gradient, const T* made, int columns) {
  extern __shared__ float kept[];
  const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * columns;
  const int used = blockIdx.x % columns + 1;
  float sum = 0;
  for (int i = threadIdx.x; i < used; i += kThreads) {
    kept[i] = gradient[first + i].value();
    kept[columns + i] = made[first + i].value();
    sum += kept[i] * kept[columns + i];
  }
  sum = of_block<Sum>(sum);
  for (int i = threadIdx.x; i < columns; i += kThreads)
    to[first + i] = T::of(i < used ? kept[columns + i] * (kept[i] - sum) : 0.0f);
}

#define KERNELS_OF(name, Type)                                                                          \
  extern "C" __global__ void forward_##name(Type* to, const Type* from, int columns) {                  \
    forward(to, from, columns);                                                                         \
  }                                                                                                     \
  extern "C" __global__ void backward_##name(Type* to, const Type* gradient, const Type* made, int columns) { \
    backward(to, gradient, made, columns);                                                              \
  }

KERNELS_OF(fp16, Half)
KERNELS_OF(bf16, Brain)
KERNELS_OF(fp32, Single)
