// Which driver calls do those calls of the CUDA runtime make that wait for the device?
#include <cuda_runtime.h>

#include "driver_calls.hpp"
#include "facts.hpp"

namespace facts {

namespace {

constexpr size_t kBytes = 1 << 20;

__global__ void spin(long long cycles) {
  const long long until = clock64() + cycles;
  while (clock64() < until) {
  }
}

/// The stream, event and memory that the calls use.
struct Resources {
  cudaStream_t stream;
  cudaEvent_t event;
  void* device;
  void* pinned;
  std::vector<char> pageable;
};

Resources made() {
  Resources all{};
  NEED(cudaStreamCreate(&all.stream));
  NEED(cudaEventCreate(&all.event));
  NEED(cudaMalloc(&all.device, kBytes));
  NEED(cudaMallocHost(&all.pinned, kBytes));
  all.pageable.resize(kBytes);
  return all;
}

/// Prints the driver calls of the work. The device is busy when the work begins.
void tell_while_busy(CallRecorder& recorder, const std::string& what, Resources& all,
                     const std::function<cudaError_t()>& work) {
  spin<<<1, 1, 0, all.stream>>>(2'000'000);
  NEED(cudaGetLastError());
  NEED(cudaEventRecord(all.event, all.stream));
  recorder.tell_calls(what, work);
  NEED(cudaDeviceSynchronize());
}

void wait() {
  use_device();
  CallRecorder recorder;
  Resources all = made();
  const auto busy = [&](const std::string& what, const std::function<cudaError_t()>& work) {
    tell_while_busy(recorder, what, all, work);
  };
  busy("cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); });
  busy("cudaStreamSynchronize", [&] { return cudaStreamSynchronize(all.stream); });
  busy("cudaStreamSynchronize of the default stream", [] { return cudaStreamSynchronize(nullptr); });
  busy("cudaEventSynchronize", [&] { return cudaEventSynchronize(all.event); });
  busy("cudaMemcpy to pageable memory",
       [&] { return cudaMemcpy(all.pageable.data(), all.device, kBytes, cudaMemcpyDeviceToHost); });
  busy("cudaMemcpy to pinned memory",
       [&] { return cudaMemcpy(all.pinned, all.device, kBytes, cudaMemcpyDeviceToHost); });
  busy("cudaMemcpyAsync to pinned memory",
       [&] { return cudaMemcpyAsync(all.pinned, all.device, kBytes, cudaMemcpyDeviceToHost, all.stream); });
  busy("cudaStreamQuery while busy", [&] {
    const cudaError_t result = cudaStreamQuery(all.stream);
    return result == cudaErrorNotReady ? cudaSuccess : result;
  });
  recorder.tell_calls("cudaStreamQuery", [&] { return cudaStreamQuery(all.stream); });
  recorder.tell_calls("cudaEventQuery", [&] { return cudaEventQuery(all.event); });
  busy("cudaFree", [&] { return cudaFree(all.device); });
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  return facts::answer(count, arguments, {{"all", facts::wait}});
}
