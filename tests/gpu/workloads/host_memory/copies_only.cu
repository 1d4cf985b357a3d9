// Copies only: in each round page-locked memory is copied to the device in chunks, which are reordered there
// and copied back to a second buffer, in which the host then changes some words. The buffers are swapped.
//
// Difficult: no kernel is launched in the loop. All contents pass through all of the copies, and stay.
//
// usage: copies_only [ROUNDS]    ROUNDS is 16,000 by default; each takes about 1.6 ms
#include "shared.cuh"

namespace {

constexpr int kChunks = 8;
constexpr size_t kChunk = size_t{1} << 20;  // words
constexpr size_t kWords = kChunks * kChunk;
constexpr size_t kBytes = kWords * sizeof(uint32_t);
constexpr size_t kChunkBytes = kChunk * sizeof(uint32_t);
constexpr size_t kLeftOut = 4096;  // bytes of a chunk that keep what they were cleared to
constexpr size_t kStride = 1024;   // one word of so many is changed by the host

__global__ void begin(uint32_t* words) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  words[i] = mixed(i);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 16000;
  const PinnedArray<uint32_t> one(kWords), other(kWords);
  const DeviceArray<uint32_t> arrived(kWords), ordered(kWords), kept(kWords);
  begin<<<kWords / kThreads, kThreads>>>(kept);
  CHECK(cudaMemcpy(one, kept, kBytes, cudaMemcpyDeviceToHost));
  uint32_t *from = one, *to = other;
  uint32_t chain = 1;
  const Stream stream;
  for (int round = 0; round < rounds; ++round) {
    for (int chunk = 0; chunk < kChunks; ++chunk)
      CHECK(cudaMemcpyAsync(arrived + chunk * kChunk, from + chunk * kChunk, kChunkBytes,
                            cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemsetAsync(ordered, round & 255, kBytes, stream));
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      const int place = (chunk * 3 + round) % kChunks;
      CHECK(cudaMemcpyAsync(ordered + place * kChunk, arrived + chunk * kChunk,
                            place == 0 ? kChunkBytes - kLeftOut : kChunkBytes, cudaMemcpyDeviceToDevice,
                            stream));
    }
    for (int chunk = 0; chunk < kChunks; ++chunk)
      CHECK(cudaMemcpyAsync(to + chunk * kChunk, ordered + chunk * kChunk, kChunkBytes,
                            cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (size_t i = round % kStride; i < kWords; i += kStride) {
      chain = mixed(chain + to[i]);
      to[i] = chain;
    }
    std::swap(from, to);
  }
  CHECK(cudaMemcpy(kept, from, kBytes, cudaMemcpyHostToDevice));
  Fingerprint fingerprint;
  fingerprint.add(kept.get(), kWords);
  return finish(fingerprint.sum());
}
