// A program that sends pinned memory to the device. The memory is written after the copy was issued, so that
// the copy sends other values than the host saw when it issued the copy. The program knows nothing of kjoule.
//
// usage: sending_program copied|filled linear|unified|strided|registered|graph [ITERATIONS [MIB]]
//
//   copied, filled   the source is written by a copy to the host, or by a host function, in the same stream
//   linear ...       kind of the copy; registered: of memory that was not allocated by CUDA

#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "sending_program: %s: error %d\n", call, static_cast<int>(result));
  std::_Exit(3);
}
#define CHECK(call) check(call, #call)

constexpr unsigned kRows = 16, kThreads = 256;

/// The size of the memory that is sent: some rows of floats.
struct Size {
  unsigned columns = 256;
  unsigned count() const { return kRows * columns; }
  size_t bytes() const { return size_t{count()} * sizeof(float); }
};
Size size;

struct Filling {
  float* values;
  int times = 0;
};

void CUDA_CB fill(void* filling) {
  auto& of = *static_cast<Filling*>(filling);
  std::fill_n(of.values, size.count(), static_cast<float>(++of.times % 1009));
}

class Sending {
 public:
  Sending(std::string_view written, std::string_view way) : written_(written), way_(way) {
    CHECK(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
    CUmodule module = nullptr;
    CHECK(cuModuleLoadData(&module, "any"));
    CHECK(cuModuleGetFunction(&scale_, module, "scale"));
    CHECK(cuModuleGetFunction(&add_, module, "add"));
    for (CUdeviceptr* values : {&made_, &received_, &sum_}) {
      CHECK(cuMemAlloc(values, size.bytes()));
      CHECK(cuMemsetD8(*values, 0, size.bytes()));
    }
    filling_.values = allocate_source();
    if (way_ == "graph") graph_ = capture_sending();
  }

  void iterate() {
    launch(scale_, made_, -1.F, size.count());  // 0 and 1 in turn
    if (written_ == "copied") CHECK(cuMemcpyDtoHAsync(filling_.values, made_, size.bytes(), stream_));
    if (written_ == "filled") CHECK(cuLaunchHostFunc(stream_, fill, &filling_));
    if (graph_ != nullptr)
      CHECK(cuGraphLaunch(graph_, stream_));
    else
      send();
    launch(add_, sum_, received_, size.count());
    launch(scale_, sum_, 0.25F, size.count());
    CHECK(cuStreamSynchronize(stream_));
  }

 private:
  float* allocate_source() {
    void* source = nullptr;
    if (way_ != "registered") {
      CHECK(cuMemHostAlloc(&source, size.bytes(), 0));
      return static_cast<float*>(source);
    }
    registered_.resize(size.count());
    CHECK(cuMemHostRegister(registered_.data(), size.bytes(), 0));
    return registered_.data();
  }

  CUgraphExec capture_sending() {
    CHECK(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED));
    send();
    CUgraph graph = nullptr;
    CHECK(cuStreamEndCapture(stream_, &graph));
    CUgraphExec executable = nullptr;
    CHECK(cuGraphInstantiate(&executable, graph, 0));
    return executable;
  }

  void send() {
    const auto source = reinterpret_cast<CUdeviceptr>(filling_.values);
    if (way_ == "unified")
      CHECK(cuMemcpyAsync(received_, source, size.bytes(), stream_));
    else if (way_ == "strided")
      send_left_half();
    else
      CHECK(cuMemcpyHtoDAsync(received_, filling_.values, size.bytes(), stream_));
  }

  void send_left_half() {
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = filling_.values;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = received_;
    copy.srcPitch = copy.dstPitch = size.columns * sizeof(float);
    copy.WidthInBytes = copy.srcPitch / 2;
    copy.Height = kRows;
    CHECK(cuMemcpy2DAsync(&copy, stream_));
  }

  template <typename... Arguments>
  void launch(CUfunction function, Arguments... arguments) {
    void* pointers[] = {&arguments...};
    CHECK(cuLaunchKernel(function, size.count() / kThreads, 1, 1, kThreads, 1, 1, 0, stream_, pointers,
                         nullptr));
  }

  std::string_view written_, way_;
  CUstream stream_ = nullptr;
  CUfunction scale_ = nullptr, add_ = nullptr;
  CUdeviceptr made_ = 0, received_ = 0, sum_ = 0;
  std::vector<float> registered_;
  Filling filling_{};
  CUgraphExec graph_ = nullptr;
};

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const int iterations = count > 3 ? std::atoi(words[3]) : 300'000;
  if (count > 4) size.columns = static_cast<unsigned>(std::atoi(words[4])) * (1U << 18) / kRows;
  CHECK(cuInit(0));
  CUcontext context = nullptr;
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  Sending sending(words[1], words[2]);
  for (int i = 0; i < iterations; ++i) sending.iterate();
  std::printf("sending_program: %d iterations\n", iterations);
}
