// A program of one process that uses several GPUs, for tests. Knows nothing of kjoule.
//
//   gpus_program GPUS ITERATIONS [option [GPU]]...     (with FAKE_CUDA_DEVICES=GPUS)
//
//   --one-thread  one thread launches the work of all GPUs; otherwise each GPU has its own thread
//   --reduce      the GPUs add up their results with a collective of NCCL
//   --counts      each GPU counts its iterations in a variable of its module
//   --direct      each GPU copies its result to the next one, which is ordered by waits of the host
//   --peer        the same, with cuMemcpyPeerAsync
//   --events      each GPU reads what the previous one has written, and waits for an event of it
//   --uneven G    GPU G launches more kernels in an iteration than the others
//   --wanders G   GPU G launches a different number of kernels in each iteration
//   --idle G      GPU G has work only before the first iteration

#include <cuda.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "program_kernels.hpp"
#include "program_options.hpp"

namespace {

constexpr unsigned kCount = stand_in::kMailFloats;
constexpr size_t kBytes = kCount * sizeof(float);

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "gpus_program: %s: %d\n", call, static_cast<int>(result));
  std::_Exit(3);
}
#define CHECK(call) check(call, #call)

/// One GPU of the program.
class Gpu {
 public:
  explicit Gpu(int number) : number_(number) {
    CUdevice device = 0;
    CHECK(cuDeviceGet(&device, number));
    CHECK(cuDevicePrimaryCtxRetain(&context_, device));
    use();
    CUmodule module = nullptr;
    CHECK(cuModuleLoadData(&module, "any"));
    const auto function = [&](const char* name) {
      CUfunction found = nullptr;
      CHECK(cuModuleGetFunction(&found, module, name));
      return found;
    };
    add_ = function("add");
    scale_ = function("scale");
    tally_ = function(stand_in::kTally);
    all_reduce_ = function(stand_in::kAllReduce);
    CHECK(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&done_, CU_EVENT_DISABLE_TIMING));
    for (CUdeviceptr* buffer : {&x_, &y_, &state_, &from_other_}) {
      CHECK(cuMemAlloc(buffer, kBytes));
      CHECK(cuMemsetD8(*buffer, 0, kBytes));
    }
    CHECK(cuMemAlloc(&mailbox_, sizeof(stand_in::Mailbox)));
    CHECK(cuMemsetD8(mailbox_, 0, sizeof(stand_in::Mailbox)));
    launch(scale_, state_, static_cast<float>(number + 1), kCount);
    CHECK(cuStreamSynchronize(stream_));
  }

  void use() const { CHECK(cuCtxSetCurrent(context_)); }
  /// Makes the communicator of this GPU, which must be current.
  void join(const std::vector<Gpu>& all) {
    stand_in::Communicator own{};
    own.ranks = static_cast<unsigned>(all.size());
    own.own = static_cast<unsigned>(number_);
    for (size_t i = 0; i < all.size(); ++i)
      own.mailboxes[i] = reinterpret_cast<stand_in::Mailbox*>(all[i].mailbox_);
    CHECK(cuMemAlloc(&communicator_, sizeof own));
    CHECK(cuMemcpyHtoD(communicator_, &own, sizeof own));
  }

  /// Launches the work of an iteration. `previous` and `next` are the neighbours of this GPU, which is
  /// current.
  void work(int iteration, const Gpu& previous, const Gpu& next, const stand_in::ProgramOptions& options) {
    if (options.names("--idle", number_)) return;
    input_.assign(kCount, 0.001F * static_cast<float>(iteration % 10));
    CHECK(cuMemcpyHtoDAsync(x_, input_.data(), kBytes, stream_));
    CHECK(cuMemsetD32Async(y_, 0, kCount, stream_));
    if (options.has("--events")) CHECK(cuStreamWaitEvent(stream_, previous.done_, 0));
    for (int layer = 0; layer < 3; ++layer) {
      launch(add_, y_, x_, kCount);
      launch(add_, y_, options.has("--events") ? previous.state_ : from_other_, kCount);
      if (options.names("--uneven", number_)) launch(scale_, y_, 1.0F, kCount);
      for (int more = 0; options.names("--wanders", number_) && more < iteration * 7 % 5; ++more)
        launch(scale_, y_, 1.0F, kCount);
      if (options.has("--reduce")) launch(all_reduce_, y_, kCount, communicator_);
    }
    if (options.has("--counts")) launch(tally_, x_, kCount);
    launch(add_, state_, y_, kCount);
    launch(scale_, state_, 0.5F, kCount);
    if (options.has("--direct")) CHECK(cuMemcpyDtoDAsync(next.from_other_, state_, kBytes, stream_));
    if (options.has("--peer"))
      CHECK(cuMemcpyPeerAsync(next.from_other_, next.context_, state_, context_, kBytes, stream_));
    CHECK(cuMemcpyDtoDAsync(x_, state_, kBytes, stream_));
    if (options.has("--events")) CHECK(cuEventRecord(done_, stream_));
  }
  void finish() const { CHECK(cuStreamSynchronize(stream_)); }
  float result() const {
    use();
    std::array<float, kCount> values{};
    CHECK(cuMemcpyDtoH(values.data(), state_, kBytes));
    return values[7];
  }

 private:
  template <typename... Arguments>
  void launch(CUfunction function, Arguments... arguments) {
    void* pointers[] = {&arguments...};
    CHECK(cuLaunchKernel(function, 1, 1, 1, kCount, 1, 1, 0, stream_, pointers, nullptr));
  }

  int number_;
  CUcontext context_ = nullptr;
  CUfunction add_ = nullptr, tally_ = nullptr, scale_ = nullptr, all_reduce_ = nullptr;
  CUstream stream_ = nullptr;
  CUevent done_ = nullptr;
  CUdeviceptr x_ = 0, y_ = 0, state_ = 0, from_other_ = 0, mailbox_ = 0, communicator_ = 0;
  std::vector<float> input_;
};

/// Launches the iterations of one GPU from its own thread.
void iterate(std::vector<Gpu>& gpus, size_t own, int iterations, const stand_in::ProgramOptions& options) {
  gpus[own].use();
  for (int i = 0; i < iterations; ++i) {
    const size_t count = gpus.size();
    gpus[own].work(i, gpus[(own + count - 1) % count], gpus[(own + 1) % count], options);
    gpus[own].finish();
  }
}

/// Launches the iterations of all GPUs from this thread.
void iterate_all(std::vector<Gpu>& gpus, int iterations, const stand_in::ProgramOptions& options) {
  const size_t count = gpus.size();
  for (int i = 0; i < iterations; ++i) {
    for (size_t own = 0; own < count; ++own) {
      gpus[own].use();
      gpus[own].work(i, gpus[(own + count - 1) % count], gpus[(own + 1) % count], options);
    }
    for (const Gpu& gpu : gpus) {
      gpu.use();
      gpu.finish();
    }
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const int iterations = std::atoi(words[2]);
  const stand_in::ProgramOptions options(count, words);
  CHECK(cuInit(0));
  std::vector<Gpu> gpus;
  for (int number = 0; number < std::atoi(words[1]); ++number) gpus.emplace_back(number);
  for (Gpu& gpu : gpus) {
    gpu.use();
    gpu.join(gpus);
  }
  if (options.has("--one-thread")) {
    iterate_all(gpus, iterations, options);
  } else {
    std::vector<std::thread> threads;
    for (size_t own = 0; own < gpus.size(); ++own)
      threads.emplace_back(iterate, std::ref(gpus), own, iterations, std::cref(options));
    for (std::thread& thread : threads) thread.join();
  }
  for (size_t i = 0; i < gpus.size(); ++i)
    std::printf("GPU %zu: %d iterations, %.7g\n", i, iterations, static_cast<double>(gpus[i].result()));
}
