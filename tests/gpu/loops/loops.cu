// Loops whose iteration is easily mistaken: for a block of a network, for several steps between two prints,
// or for one of two sets of buffers. Each loop runs for some seconds; tests/gpu/iterations contains the
// lengths of the iterations.
//
// usage: loops NAME SECONDS
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "../programs/check.cuh"

namespace {

constexpr int kCount = 1 << 15;
constexpr int kBlocks = kCount / kThreads;

template <int kernel>
__global__ void work(float* out, const float* in, const float* weights) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 0.5f * in[i] + 0.25f * weights[i] + 0.01f * kernel;
}

/// Memory in pieces of kCount floats: weights, and buffers for results.
class Network {
 public:
  explicit Network(cudaStream_t stream) : stream_(stream), memory_(kPieces * kCount) {
    CHECK(cudaMemset(memory_, 0, sizeof(float) * kPieces * kCount));
  }
  float* piece(int number) const { return memory_ + static_cast<size_t>(number % kPieces) * kCount; }

  /// Launches one kernel; `weights` is the number of a piece.
  template <int kernel>
  void launch(int weights, int buffers = 0) const {
    work<kernel><<<kBlocks, kThreads, 0, stream_>>>(piece(kWeights + 2 * buffers),
                                                    piece(kWeights + 2 * buffers + 1), piece(weights));
  }
  /// Blocks of the same launches, each with its own weights.
  void blocks(int count, int launches, int buffers = 0) const {
    for (int block = 0; block < count; ++block)
      for (int i = 0; i < launches; ++i) launch_any(i, block * launches + i, buffers);
  }
  void wait() const { CHECK(cudaStreamSynchronize(stream_)); }
  cudaStream_t stream() const { return stream_; }

 private:
  static constexpr int kWeights = 256, kPieces = 270;

  void launch_any(int kernel, int weights, int buffers) const {
    switch (kernel % 4) {
      case 0:
        return launch<0>(weights, buffers);
      case 1:
        return launch<1>(weights, buffers);
      case 2:
        return launch<2>(weights, buffers);
      default:
        return launch<3>(weights, buffers);
    }
  }

  cudaStream_t stream_;
  DeviceArray<float> memory_;
};

using Iteration = std::function<void(int)>;

cudaGraphExec_t captured(const Network& network, const std::function<void()>& body) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaStreamBeginCapture(network.stream(), cudaStreamCaptureModeThreadLocal));
  body();
  CHECK(cudaStreamEndCapture(network.stream(), &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return executable;
}

void launch_graph(cudaGraphExec_t graph, const Network& network) {
  CHECK(cudaGraphLaunch(graph, network.stream()));
}

/// Loops of the launches of networks.
std::map<std::string, Iteration> network_loops(const Network& n) {
  return {
      {"blocks",
       [&n](int) {
         n.blocks(12, 19);
         n.wait();
       }},
      {"blocks_and_head",
       [&n](int) {
         n.blocks(6, 10);
         for (int i = 0; i < 5; ++i) n.launch<5>(200 + i);
         n.wait();
       }},
      {"micro_batches",
       [&n](int) {
         for (int batch = 0; batch < 4; ++batch) n.blocks(2, 3);
         for (int i = 0; i < 9; ++i) n.launch<6>(210 + i);
         n.wait();
       }},
      {"inner_loop",
       [&n](int) {
         n.launch<4>(220);
         for (int i = 0; i < 10; ++i) n.blocks(1, 4);
         n.launch<5>(221);
         n.launch<6>(222);
         n.wait();
       }},
  };
}

/// Loops with additional launches in few iterations.
std::map<std::string, Iteration> interrupted_loops(const Network& n) {
  return {
      {"prints_every_50",
       [&n](int i) {
         n.blocks(4, 5);
         n.launch<4>(220);
         n.launch<5>(221);
         if (i % 50 == 49) n.launch<7>(230);
         n.wait();
       }},
      {"evaluates_every_100",
       [&n](int i) {
         n.blocks(4, 6);
         n.wait();
         for (int pass = 0; i % 100 == 99 && pass < 10; ++pass) {
           n.blocks(4, 2);
           n.wait();
         }
       }},
      {"loads_data_now_and_then",
       [&n, random = std::mt19937(3)](int) mutable {
         if (random() % 40 == 0) n.launch<7>(231);
         n.blocks(2, 6);
         n.wait();
       }},
  };
}

/// Loops that alternate between buffers.
std::map<std::string, Iteration> turning_loops(const Network& n) {
  return {
      {"two_buffers_awaited",
       [&n](int i) {
         n.blocks(3, 5, i % 2);
         n.wait();
       }},
      {"two_buffers_in_one_step",
       [&n](int) {
         n.blocks(3, 5, 0);
         n.blocks(3, 5, 1);
         n.wait();
       }},
  };
}

/// Loops of graphs.
std::map<std::string, Iteration> graph_loops(const Network& n) {
  return {
      {"graph",
       [&n, graph = captured(n, [&n] { n.blocks(4, 5); })](int) {
         n.launch<4>(220);
         launch_graph(graph, n);
         n.launch<5>(221);
         n.wait();
       }},
      {"two_graphs",
       [&n, first = captured(n, [&n] { n.blocks(1, 10); }),
        second = captured(n,
                          [&n] {
                            for (int i = 0; i < 10; ++i)
                              i % 4 == 3 ? n.launch<3>(100 + i) : n.launch<2>(100 + i);
                          })](int) {
         launch_graph(first, n);
         launch_graph(second, n);
         n.launch<4>(220);
         n.wait();
       }},
      {"graph_not_awaited",
       [&n, graph = captured(n, [&n] { n.blocks(2, 9); })](int i) {
         launch_graph(graph, n);
         if (i % 200 == 199) n.wait();
       }},
  };
}

std::map<std::string, Iteration> all_loops(const Network& network) {
  std::map<std::string, Iteration> all;
  for (const auto& loops :
       {network_loops(network), interrupted_loops(network), turning_loops(network), graph_loops(network)})
    all.insert(loops.begin(), loops.end());
  return all;
}

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

}  // namespace

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  const Network network(make_stream());
  auto loops = all_loops(network);
  if (argc != 3 || !loops.contains(argv[1])) {
    for (const auto& [name, iteration] : loops) std::printf("%s\n", name.c_str());
    return argc == 1 ? 0 : 1;
  }
  const Iteration& iteration = loops.at(argv[1]);
  const auto end = Clock::now() + std::chrono::duration<double>(std::atof(argv[2]));
  for (int i = 0; Clock::now() < end; ++i) iteration(i);
  network.wait();
  return finish(checksum(network.piece(256)));
}
