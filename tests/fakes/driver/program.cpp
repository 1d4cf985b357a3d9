// A CUDA program for tests. It runs iterations of a few launches, whose form its arguments determine. It
// knows nothing of kjoule.

#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "program_kernels.hpp"

namespace {

constexpr unsigned kCount = 4096;  // floats in a buffer
constexpr unsigned kThreads = 256;
constexpr size_t kPageBytes = 4096;

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "program: %s: %s\n", call, text);
  std::_Exit(3);
}
#define CHECK(call) check(call, #call)

struct Kernels {
  CUfunction fill, fill_indices, add, scale, gather, mix, count, overflow, explode, append, wander,
      assert_count, assert_new, stall_count;

  Kernels() {
    CHECK(cuModuleLoadData(&module, "any"));
    const auto of_module = [&](const char* name) {
      CUfunction function = nullptr;
      CHECK(cuModuleGetFunction(&function, module, name));
      return function;
    };
    fill = of_module("fill");
    fill_indices = of_module("fill_indices");
    gather = of_module("gather");
    scale = of_module("scale");
    count = of_module("count");
    overflow = of_module("overflow");
    explode = of_module("explode");
    assert_count = of_module("assert_count");
    assert_new = of_module("assert_new");
    stall_count = of_module("stall_count");
    append = of_module("append");
    wander = of_module("wander");
    CHECK(cuLibraryLoadData(&library, "any", nullptr, nullptr, 0, nullptr, nullptr, 0));
    // Like the CUDA runtime, launches a CUkernel that is cast to a CUfunction.
    const auto of_library = [&](const char* name) {
      CUkernel kernel = nullptr;
      CHECK(cuLibraryGetKernel(&kernel, library, name));
      return reinterpret_cast<CUfunction>(kernel);
    };
    add = of_library("add");
    mix = of_library(stand_in::kMix);
  }

  /// Returns the kernel with a variable, of the module or of the library.
  CUfunction tally(bool of_library) const {
    CUfunction function = nullptr;
    CUkernel kernel = nullptr;
    if (!of_library) {
      CHECK(cuModuleGetFunction(&function, module, stand_in::kTally));
      return function;
    }
    CHECK(cuLibraryGetKernel(&kernel, library, stand_in::kTally));
    return reinterpret_cast<CUfunction>(kernel);
  }

 private:
  CUmodule module = nullptr;
  CUlibrary library = nullptr;
};

CUlaunchConfig configuration(unsigned count, CUstream stream) {
  CUlaunchConfig config{};
  config.gridDimX = (count + kThreads - 1) / kThreads;
  config.blockDimX = kThreads;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  return config;
}

template <typename... Arguments>
void launch(CUfunction function, unsigned count, CUstream stream, Arguments... arguments) {
  void* pointers[] = {&arguments...};
  CHECK(cuLaunchKernel(function, (count + kThreads - 1) / kThreads, 1, 1, kThreads, 1, 1, 0, stream, pointers,
                       nullptr));
}

/// One allocation from which all others are cut, as in a framework that allocates the device's memory at
/// once.
struct Arena {
  CUdeviceptr next = 0;
  CUdeviceptr cut(size_t bytes) { return (next += bytes) - bytes; }
};
Arena arena;

CUdeviceptr allocate(size_t bytes = kCount * sizeof(float)) {
  CUdeviceptr address = 0;
  if (arena.next != 0) return arena.cut(bytes);
  CHECK(cuMemAlloc(&address, bytes));
  return address;
}

/// What the host functions do: they sleep for the requested time and print the longest time that it took.
struct Sleep {
  std::chrono::microseconds requested{0};
  std::chrono::nanoseconds longest{0};
  void sleep() {
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(requested);
    const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - begin;
    if (requested.count() == 0 || taken <= longest) return;
    longest = taken;
    std::printf("host function: %.1f us\n", static_cast<double>(taken.count()) / 1000);
    std::fflush(stdout);
  }
};

/// The iterations of one thread, with their memory and stream.
class Work {
 public:
  Work(const Kernels& kernels, CUstream stream, CUdeviceptr scratch)
      : kernels_(kernels), stream_(stream), scratch_(scratch) {
    for (unsigned i = 0; i < kCount; ++i) indices_[i] = i * 7 % kCount;
    CHECK(cuMemcpyHtoD(scratch_, indices_.data(), kCount * sizeof(unsigned)));
    fill(weights_, 0.5F);
    fill(sum_, 0);
    fill(out_, 0);
    fill(table_, 2);
    CHECK(cuStreamSynchronize(stream_));
  }

  /// Fills the host's buffer with other values in each iteration.
  void refill(int number) {
    for (unsigned i = 0; i < kCount; ++i)
      input_[i] = 0.001F * static_cast<float>((i + static_cast<unsigned>(number)) % 100);
  }

  /// An iteration in which the scratch block contains indices first and floats later.
  void plain(unsigned count) {
    CHECK(cuMemcpyHtoDAsync(x_, input_.data(), count * sizeof(float), stream_));
    CHECK(cuMemsetD32Async(y_, 0, count, stream_));
    launch(kernels_.fill_indices, count, stream_, scratch_, 7U, count, count);
    launch(kernels_.gather, count, stream_, y_, table_, scratch_, count, count);
    mix(scratch_, count, stream_);
    add_up(count);
    CHECK(cuMemcpyDtoDAsync(out_, y_, count * sizeof(float), stream_));
    CHECK(cuMemcpyDtoHAsync(output_.data(), out_, count * sizeof(float), stream_));
  }

  /// An iteration that writes, at its end, the indices of the next iteration and overwrites them in between.
  /// If the gather is replayed on any other memory state, it faults.
  void faulty() {
    launch(kernels_.gather, kCount, stream_, y_, table_, scratch_, kCount, kCount);
    CHECK(cuMemcpyHtoDAsync(x_, input_.data(), kCount * sizeof(float), stream_));
    mix(scratch_, kCount, stream_);
    add_up(kCount);
    CHECK(cuMemcpyHtoDAsync(scratch_, indices_.data(), kCount * sizeof(unsigned), stream_));
  }

  /// An iteration whose second half runs on another stream.
  void on_two_streams(CUstream other, CUevent forked, CUevent joined) {
    CHECK(cuMemcpyHtoDAsync(x_, input_.data(), kCount * sizeof(float), stream_));
    launch(kernels_.fill, kCount, stream_, y_, 1.0F, kCount);
    CHECK(cuEventRecord(forked, stream_));
    CHECK(cuStreamWaitEvent(other, forked, 0));
    mix(scratch_, kCount, other);
    launch(kernels_.scale, kCount, stream_, y_, 0.5F, kCount);
    CHECK(cuEventRecord(joined, other));
    CHECK(cuStreamWaitEvent(stream_, joined, 0));
    add_up(kCount);
  }

  /// An iteration whose second half runs on another stream, after the host has waited for the first half.
  void on_two_streams_in_turn(CUstream other) {
    CHECK(cuMemcpyHtoDAsync(x_, input_.data(), kCount * sizeof(float), stream_));
    launch(kernels_.fill, kCount, stream_, y_, 1.0F, kCount);
    wait();
    mix(scratch_, kCount, other);
    CHECK(cuStreamSynchronize(other));
    add_up(kCount);
  }

  /// An iteration that first tries a launch with more shared memory than the device has.
  void falling_back() {
    unsigned count = kCount;
    float factor = 0.5F;
    void* arguments[] = {&out_, &factor, &count};
    constexpr unsigned kTooMuch = 1 << 20;
    if (cuLaunchKernel(kernels_.scale, 1, 1, 1, kThreads, 1, 1, kTooMuch, stream_, arguments, nullptr) ==
        CUDA_SUCCESS)
      std::_Exit(4);
    plain(kCount);
  }

  /// An iteration that differs from the others in its unused dynamic shared memory.
  void unlike(int number) {
    plain(kCount);
    unsigned count = kCount;
    float factor = 0.5F;
    void* arguments[] = {&out_, &factor, &count};
    CHECK(cuLaunchKernel(kernels_.scale, 1, 1, 1, kThreads, 1, 1, static_cast<unsigned>(number), stream_,
                         arguments, nullptr));
  }

  void nondeterministic() {
    plain(kCount);
    launch(kernels_.count, kCount, stream_, weights_, kCount);
  }

  /// An iteration whose last launch may begin before the launch before it has ended.
  void programmatic() {
    plain(kCount);
    CUlaunchAttribute early{};
    early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    early.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config = configuration(kCount, stream_);
    config.attrs = &early;
    unsigned count = kCount;
    float factor = 0.5F;
    void* arguments[] = {&out_, &factor, &count};
    for (config.numAttrs = 0; config.numAttrs < 2; ++config.numAttrs)
      CHECK(cuLaunchKernelEx(&config, kernels_.scale, arguments, nullptr));
  }

  /// Places the sum in host memory that kernels read and write, from now on.
  void pin_sum() {
    void* memory = nullptr;
    CHECK(cuMemHostAlloc(&memory, kCount * sizeof(float), CU_MEMHOSTALLOC_DEVICEMAP));
    sum_ = reinterpret_cast<CUdeviceptr>(memory);
  }

  /// Places the sum in host memory that begins and ends within a unit of 16 bytes, and registers it.
  void register_sum() {
    float* sum = registered_.data() + 1;
    CHECK(cuMemHostRegister(sum, kCount * sizeof(float), CU_MEMHOSTREGISTER_DEVICEMAP));
    sum_ = reinterpret_cast<CUdeviceptr>(sum);
  }

  /// Lets the kernels of the stream keep the weights in the L2 cache.
  void persist_weights() {
    CUstreamAttrValue window{};
    window.accessPolicyWindow.base_ptr = reinterpret_cast<void*>(weights_);
    window.accessPolicyWindow.num_bytes = kCount * sizeof(float);
    window.accessPolicyWindow.hitRatio = 1;
    window.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    CHECK(cuStreamSetAttribute(stream_, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &window));
  }

  void adding_sum() {
    plain(kCount);
    launch(kernels_.add, kCount, stream_, out_, sum_, kCount);
  }

  /// An iteration with a kernel that writes a variable of its module or library.
  void counting(bool of_library) {
    plain(kCount);
    launch(kernels_.tally(of_library), kCount, stream_, out_, kCount);
  }

  /// An iteration that never ends if it has a certain number.
  void hanging(int number) {
    plain(kCount);
    if (number == 9) pause();
  }

  /// An iteration with a host function after its launches, which sleeps for some time.
  void calling_host(std::chrono::microseconds time) {
    plain(kCount);
    sleep_.requested = time;
    CHECK(cuLaunchHostFunc(
        stream_, [](void* sleep) { static_cast<Sleep*>(sleep)->sleep(); }, &sleep_));
  }

  /// Allocates memory of which an iteration changes little, and which may fill the device.
  void allocate_cache(size_t bytes) {
    cache_pages_ = static_cast<unsigned>(bytes / kPageBytes);
    cache_ = allocate(bytes);
    CHECK(cuMemsetD8Async(cache_, 0, bytes, stream_));
  }

  /// An iteration that adds to one page of the cache, as a decoder does. `way` selects the page: the next one
  /// in each iteration; an unpredictable one (`jump`, or `sum` if the contents of the page matter); or one
  /// that a counter on the device selects (`device`).
  void writing_cache(int number, const std::string& way) {
    plain(kCount);
    const auto place = static_cast<unsigned>(number);
    if (way == "device") {
      launch(kernels_.append, 1, stream_, cache_ + kPageBytes, cache_);
      return;
    }
    const CUdeviceptr page =
        cache_ + place * (way == "jump" || way == "sum" ? 7919U : 1U) % cache_pages_ * kPageBytes;
    if (way == "sum")
      launch(kernels_.add, 64, stream_, page, table_, 64U);
    else
      launch(kernels_.fill, 64, stream_, page, 1.0F + static_cast<float>(place), 64U);
    launch(kernels_.add, 64, stream_, out_, page, 64U);
  }

  /// An iteration with scratch memory in the cache, whose contents are the same at the end of each iteration
  /// as at its beginning.
  void using_scratch_of_cache() {
    plain(kCount);
    const CUdeviceptr page = cache_ + cache_pages_ / 2 * kPageBytes;
    launch(kernels_.fill, kCount, stream_, page, 5.0F, kCount);
    launch(kernels_.add, kCount, stream_, out_, page, kCount);
    launch(kernels_.fill, kCount, stream_, page, 0.0F, kCount);
  }

  /// An iteration that changes the whole cache, as an optimizer does.
  void changing_cache() {
    plain(kCount);
    const auto count = static_cast<unsigned>(cache_pages_ * (kPageBytes / sizeof(float)));
    launch(kernels_.scale, count, stream_, cache_, -1.0F, count);  // 0, 1, 0, ...
  }

  /// An iteration that writes another page of the cache whenever its kernel runs, whatever the contents of
  /// memory.
  void wandering() {
    plain(kCount);
    launch(kernels_.wander, 1, stream_, cache_, cache_pages_);
  }

  /// An iteration with the same launches, but the work of some of them grows from iteration to iteration and
  /// then starts small again.
  void growing_work(int number) {
    plain(kCount);
    constexpr unsigned kLarge = 64 * kCount;
    if (large_ == 0) large_ = allocate(kLarge * sizeof(float));
    const unsigned count = kCount * static_cast<unsigned>(1 + number % 64);
    for (int i = 0; i < 4; ++i) launch(kernels_.scale, kLarge, stream_, large_, 0.5F, count);
  }

  /// An iteration whose number of launches differs, as in a search that reads from the device whether to
  /// continue.
  void uneven() {
    plain(kCount);
    const unsigned more = 3 + random_() % 6;
    for (unsigned i = 0; i < more; ++i) launch(kernels_.scale, kCount / 2, stream_, table_, 0.5F, kCount / 2);
  }

  /// An iteration with a kernel that runs once in it, and cannot run again before the next one begins: it
  /// would fault or, if `stalls`, take hours.
  void running_once(bool stalls) {
    if (counter_ == 0) counter_ = allocate();
    CHECK(cuMemsetD32Async(counter_, 0, 1, stream_));
    plain(kCount);
    if (stalls)
      launch(kernels_.stall_count, 1, stream_, counter_);
    else
      launch(kernels_.assert_count, 1, stream_, counter_, 1U);
  }

  void asserting_new(int number) {
    plain(kCount);
    launch(kernels_.assert_new, 1, stream_, out_, number);
  }

  /// An iteration of a program that asserts that its loss is finite. After many replays in a row the loss is
  /// no longer finite.
  void asserting(int number) {
    plain(kCount);
    if (counter_ == 0) {
      counter_ = allocate();
      CHECK(cuMemsetD32Async(counter_, 0, 1, stream_));
    }
    launch(kernels_.assert_count, 1, stream_, counter_, static_cast<unsigned>(number) + 1);
  }

  void exploding(int number) {
    plain(kCount);
    launch(kernels_.explode, kCount, stream_, weights_, number, kCount);
  }

  /// Allocates and frees temporary memory twice, so that the second launches reuse the memory of the first.
  template <typename Allocate, typename Free>
  void with_temporary_memory(const Allocate& allocate_block, const Free& free_block, bool sets = true) {
    CHECK(cuMemcpyHtoDAsync(x_, input_.data(), kCount * sizeof(float), stream_));
    CUdeviceptr block = allocate_block();
    if (sets) CHECK(cuMemsetD8Async(block, 0, kCount, stream_));
    launch(kernels_.fill_indices, kCount, stream_, block, 7U, kCount, kCount);
    launch(kernels_.gather, kCount, stream_, y_, table_, block, kCount, kCount);
    free_block(block);
    block = allocate_block();
    mix(block, kCount, stream_);
    launch(kernels_.add, kCount, stream_, y_, block, kCount);
    add_up(kCount);
    free_block(block);
  }

  void using_pool(bool sets) {
    with_temporary_memory(
        [&] {
          CUdeviceptr block = 0;
          CHECK(cuMemAllocAsync(&block, kCount * sizeof(float), stream_));
          return block;
        },
        [&](CUdeviceptr block) { CHECK(cuMemFreeAsync(block, stream_)); }, sets);
  }

  void allocating() {
    with_temporary_memory([] { return allocate(); }, [](CUdeviceptr block) { CHECK(cuMemFree(block)); });
  }

  /// Maps and unmaps memory; the addresses stay reserved, as in an allocator with expandable segments.
  void mapping() {
    constexpr size_t kBytes = kCount * sizeof(float);
    if (reserved_ == 0) CHECK(cuMemAddressReserve(&reserved_, kBytes, 0, 0, 0));
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    with_temporary_memory(
        [&] {
          CUmemGenericAllocationHandle handle = 0;
          CHECK(cuMemCreate(&handle, kBytes, &properties, 0));
          CHECK(cuMemMap(reserved_, kBytes, 0, handle, 0));
          const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
          CHECK(cuMemSetAccess(reserved_, kBytes, &access, 1));
          CHECK(cuMemRelease(handle));
          return reserved_;
        },
        [&](CUdeviceptr block) { CHECK(cuMemUnmap(block, kBytes)); });
  }

  /// An iteration of a program whose memory pool still grows.
  void keeping() {
    CHECK(cuMemcpyHtoDAsync(x_, input_.data(), kCount * sizeof(float), stream_));
    const CUdeviceptr block = allocate();
    launch(kernels_.fill_indices, kCount, stream_, block, 7U, kCount, kCount);
    launch(kernels_.gather, kCount, stream_, y_, table_, block, kCount, kCount);
    mix(block, kCount, stream_);
    launch(kernels_.add, kCount, stream_, sum_, block, kCount);
  }

  /// Captures `body`, in which another graph is a child graph.
  CUgraphExec captured(const std::function<void()>& body) {
    CUgraphExec part = instantiate([&] { launch(kernels_.scale, kCount, stream_, out_, 0.25F, kCount); });
    CUgraphExec whole = instantiate([&] {
      body();
      CHECK(cuGraphLaunch(part, stream_));
    });
    CHECK(cuGraphExecDestroy(part));
    return whole;
  }

  CUgraph capture(const std::function<void()>& body) {
    CHECK(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    body();
    CUgraph graph = nullptr;
    CHECK(cuStreamEndCapture(stream_, &graph));
    return graph;
  }

  void scale_out(float factor) { launch(kernels_.scale, kCount, stream_, out_, factor, kCount); }
  void overflow() { launch(kernels_.overflow, kCount, stream_, x_, kCount); }
  CUstream stream() const { return stream_; }
  /// A kernel node that scales the sum; `factor` must stay until it is used.
  CUDA_KERNEL_NODE_PARAMS scaling_of_sum(float* factor) {
    scaling_[0] = &sum_;
    scaling_[1] = factor;
    scaling_[2] = &count_;
    return {kernels_.scale, kCount / kThreads, 1, 1, kThreads, 1, 1, 0, scaling_, nullptr, nullptr, nullptr};
  }
  void wait() { CHECK(cuStreamSynchronize(stream_)); }
  double checksum() const { return std::accumulate(output_.begin(), output_.end(), 0.0); }

 private:
  void fill(CUdeviceptr buffer, float value) {
    launch(kernels_.fill, kCount, stream_, buffer, value, kCount);
  }

  void mix(CUdeviceptr to, unsigned count, CUstream stream) {
    stand_in::MixShape shape;
    std::memset(&shape, 0, sizeof shape);  // padding between its members is passed on, too
    shape = {.rows = count / 64, .columns = 64, .scale = 0.75, .transposed = 'n'};
    CUlaunchConfig config = configuration(count, stream);
    config.sharedMemBytes = 1024;
    float beta = 0;
    bool negate = false;
    int shift = 3;
    void* arguments[] = {&to, &x_, &weights_, &shape, &beta, &negate, &shift};
    CHECK(cuLaunchKernelEx(&config, kernels_.mix, arguments, nullptr));
  }

  /// Launches kernels that work in place; the last two accumulate across iterations.
  void add_up(unsigned count) {
    launch(kernels_.add, count, stream_, y_, scratch_, count);
    launch(kernels_.scale, count, stream_, y_, 0.5F, count);
    launch(kernels_.add, count, stream_, sum_, y_, count);
    launch(kernels_.scale, count, stream_, sum_, 0.25F, count);
  }

  CUgraphExec instantiate(const std::function<void()>& body) {
    CUgraph graph = capture(body);
    CUgraphExec executable = nullptr;
    CHECK(cuGraphInstantiate(&executable, graph, 0));
    CHECK(cuGraphDestroy(graph));
    return executable;
  }

  const Kernels& kernels_;
  CUstream stream_;
  CUdeviceptr scratch_;
  CUdeviceptr reserved_ = 0;
  CUdeviceptr large_ = 0;
  CUdeviceptr cache_ = 0;
  unsigned cache_pages_ = 0;
  std::mt19937 random_{1};
  Sleep sleep_;
  CUdeviceptr counter_ = 0;
  unsigned count_ = kCount;
  void* scaling_[3]{};
  CUdeviceptr x_ = allocate(), y_ = allocate(), weights_ = allocate(), table_ = allocate(), sum_ = allocate(),
              out_ = allocate();
  std::vector<float> registered_ = std::vector<float>(kCount + 4);
  std::vector<float> input_ = std::vector<float>(kCount), output_ = input_;
  std::vector<unsigned> indices_ = std::vector<unsigned>(kCount);
};

/// A graph that is changed before each launch so that its results show the change: it scales a buffer by a
/// factor that differs from one iteration to the next, in a child graph and in a node of its own.
class ChangingGraph {
 public:
  ChangingGraph(Work& work, std::string way) : work_(work), way_(std::move(way)) {
    source_ = capture_with(1);
    CHECK(cuGraphInstantiate(&executable_, source_, 0));
    size_t count = 0;
    CHECK(cuGraphGetNodes(source_, nullptr, &count));
    std::vector<CUgraphNode> nodes(count);
    CHECK(cuGraphGetNodes(source_, nodes.data(), &count));
    for (CUgraphNode node : nodes) {
      CUgraphNodeType type{};
      CHECK(cuGraphNodeGetType(node, &type));
      if (type == CU_GRAPH_NODE_TYPE_GRAPH) child_ = node;
      if (type == CU_GRAPH_NODE_TYPE_KERNEL) last_kernel_ = node;
    }
    if (way_ == "disable") CHECK(cuGraphNodeSetEnabled(executable_, last_kernel_, 0));
  }

  void change_and_launch(int number) {
    const float factor = kFactors[number % 2];
    if (way_ == "kernel" || way_ == "node") change_kernel(factor);
    if (way_ == "child") change_child(factor);
    if (way_ == "update") update(factor);
    if (way_ == "update_then_kernel") {
      update(factor);
      change_kernel(2 * factor);
    }
    CHECK(cuGraphLaunch(executable_, work_.stream()));
  }

 private:
  static constexpr float kFactors[] = {0.5F, 0.75F};

  CUgraph capture_with(float factor) {
    CUgraph child = work_.capture([&] { work_.scale_out(factor); });
    CUgraph whole = work_.capture([&] { work_.plain(kCount); });
    size_t count = 0;
    CHECK(cuGraphGetNodes(whole, nullptr, &count));
    std::vector<CUgraphNode> nodes(count);
    CHECK(cuGraphGetNodes(whole, nodes.data(), &count));
    CUgraphNode added = nullptr;
    CHECK(cuGraphAddChildGraphNode(&added, whole, &nodes.back(), 1, child));
    CUDA_KERNEL_NODE_PARAMS last = scaling(factor);
    CHECK(cuGraphAddKernelNode(&added, whole, &added, 1, &last));
    CHECK(cuGraphDestroy(child));
    return whole;
  }

  /// Valid until the next call.
  CUDA_KERNEL_NODE_PARAMS scaling(float factor) {
    factor_ = factor;
    return work_.scaling_of_sum(&factor_);
  }

  void change_kernel(float factor) {
    const CUDA_KERNEL_NODE_PARAMS own = scaling(factor);
    if (way_ != "node") return CHECK(cuGraphExecKernelNodeSetParams(executable_, last_kernel_, &own));
    CUgraphNodeParams any{};
    any.type = CU_GRAPH_NODE_TYPE_KERNEL;
    any.kernel = {own.func,         own.gridDimX,  own.gridDimY,  own.gridDimZ,
                  own.blockDimX,    own.blockDimY, own.blockDimZ, own.sharedMemBytes,
                  own.kernelParams, own.extra,     own.kern,      own.ctx};
    CHECK(cuGraphExecNodeSetParams(executable_, last_kernel_, &any));
  }

  void change_child(float factor) {
    CUgraph other = work_.capture([&] { work_.scale_out(factor); });
    CHECK(cuGraphExecChildGraphNodeSetParams(executable_, child_, other));
    CHECK(cuGraphDestroy(other));
  }

  void update(float factor) {
    CUgraph other = capture_with(factor);
    CUgraphExecUpdateResultInfo result{};
    CHECK(cuGraphExecUpdate(executable_, other, &result));
    CHECK(cuGraphDestroy(other));
  }

  Work& work_;
  std::string way_;
  CUgraph source_ = nullptr;
  CUgraphExec executable_ = nullptr;
  CUgraphNode child_ = nullptr, last_kernel_ = nullptr;
  float factor_ = 0;
};

/// Options of the form --NAME VALUE or --NAME.
class Options {
 public:
  Options(int count, char** words) {
    for (int i = 1; i < count; ++i) {
      const bool has_value = i + 1 < count && std::string(words[i + 1]).compare(0, 2, "--") != 0;
      values_[words[i]] = has_value ? words[i + 1] : "";
      i += has_value;
    }
  }
  bool has(const char* name) const { return values_.count(name) > 0; }
  std::string text(const char* name) const { return has(name) ? values_.at(name) : ""; }
  int number(const char* name, int otherwise) const {
    return has(name) ? std::stoi(values_.at(name)) : otherwise;
  }

 private:
  std::map<std::string, std::string> values_;
};

CUstream make_stream() {
  CUstream stream = nullptr;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

CUevent make_event() {
  CUevent event = nullptr;
  CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  return event;
}

/// Returns the function that runs one iteration, whose number it gets, as the arguments request.
std::function<void(int)> iteration_of(const Options& options, Work& work) {
  if (options.has("--cache")) {
    work.allocate_cache(static_cast<size_t>(options.number("--cache", 0)) << 10);
    const std::string way = options.text("--writes");
    return [&work, way](int number) {
      if (way == "scratch")
        work.using_scratch_of_cache();
      else if (way == "all")
        work.changing_cache();
      else if (way == "anywhere")
        work.wandering();
      else
        work.writing_cache(number, way);
    };
  }
  if (options.has("--graph-memory")) {
    CUgraphExec graph = work.captured([&] { work.using_pool(options.has("--sets")); });
    return [&work, graph](int) { CHECK(cuGraphLaunch(graph, work.stream())); };
  }
  if (options.has("--graph")) {
    CUgraphExec graph = work.captured([&] {
      if (options.has("--programmatic"))
        work.programmatic();
      else if (options.has("--host-function"))
        work.calling_host({});
      else
        work.plain(kCount);
    });
    return [&work, graph](int) { CHECK(cuGraphLaunch(graph, work.stream())); };
  }
  if (options.has("--change")) {
    auto graph = std::make_shared<ChangingGraph>(work, options.text("--change"));
    return [graph](int number) { graph->change_and_launch(number); };
  }
  if (options.has("--capture-while-watched"))
    return [&work](int) {
      CUgraphExec graph = work.captured([&] { work.plain(kCount); });
      CHECK(cuGraphLaunch(graph, work.stream()));
      CHECK(cuGraphExecDestroy(graph));
    };
  if (options.has("--streams")) {
    CUstream other = make_stream();
    CUevent forked = make_event();
    CUevent joined = make_event();
    return [&work, other, forked, joined](int) { work.on_two_streams(other, forked, joined); };
  }
  if (options.has("--streams-in-turn")) {
    CUstream other = make_stream();
    return [&work, other](int) { work.on_two_streams_in_turn(other); };
  }
  if (options.has("--falls-back")) return [&work](int) { work.falling_back(); };
  if (options.has("--growing")) return [&work](int number) { work.unlike(number); };
  if (options.has("--fault") || options.has("--managed")) return [&work](int) { work.faulty(); };
  if (options.has("--nondeterministic")) return [&work](int) { work.nondeterministic(); };
  if (options.has("--programmatic")) return [&work](int) { work.programmatic(); };
  if (options.has("--asserts")) return [&work](int number) { work.asserting(number); };
  if (options.has("--runs-once")) {
    const bool stalls = options.text("--runs-once") == "stalls";
    return [&work, stalls](int) { work.running_once(stalls); };
  }
  if (options.has("--asserts-new")) return [&work](int number) { work.asserting_new(number); };
  if (options.has("--explodes")) return [&work](int number) { work.exploding(number); };
  if (options.has("--pool")) return [&work](int) { work.using_pool(true); };
  if (options.has("--allocates")) return [&work](int) { work.allocating(); };
  if (options.has("--maps")) return [&work](int) { work.mapping(); };
  if (options.has("--growing-work")) return [&work](int number) { work.growing_work(number); };
  if (options.has("--uneven")) return [&work](int) { work.uneven(); };
  if (options.has("--variable")) {
    const bool of_library = options.text("--variable") == "library";
    return [&work, of_library](int) { work.counting(of_library); };
  }
  if (options.has("--hangs")) return [&work](int number) { work.hanging(number); };
  if (options.has("--host-function")) {
    const std::chrono::microseconds time(options.number("--host-us", 0));
    return [&work, time](int) { work.calling_host(time); };
  }
  if (options.has("--pinned-graph")) {
    work.pin_sum();
    CUgraphExec graph = work.captured([&] { work.adding_sum(); });
    return [&work, graph](int) { CHECK(cuGraphLaunch(graph, work.stream())); };
  }
  if (options.has("--pinned")) {
    work.pin_sum();
    return [&work](int) { work.adding_sum(); };
  }
  if (options.has("--registered")) {
    work.register_sum();
    return [&work](int) { work.adding_sum(); };
  }
  if (options.has("--persists")) {
    work.persist_weights();
    return [&work](int) { work.plain(kCount); };
  }
  if (options.has("--ranges"))
    return [&work, is_wide = options.text("--ranges") == "wide"](int) {
      nvtxRangePushA("first");
      work.plain(kCount);
      if (is_wide)
        nvtxRangePushW(L"inner");
      else
        nvtxRangePushA("inner");
      work.plain(kCount);
      nvtxRangePop();
      nvtxRangePop();
      nvtxRangePushA("second");
      work.plain(kCount);
      nvtxRangePop();
    };
  if (options.has("--keeps")) return [&work](int) { work.keeping(); };
  if (options.has("--overflow"))
    return [&work](int) {
      work.plain(kCount);
      work.overflow();
    };
  return [&work](int) { work.plain(kCount); };
}

/// Threads that run their iterations in turns, again and again.
class Turns {
 public:
  explicit Turns(int threads) : threads_(threads) {}
  void take(int thread, const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == thread; });
    work();
    next_ = (next_ + 1) % threads_;
    changed_.notify_all();
  }

 private:
  int threads_;
  int next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Waits for a request, which is a line of the input. The answer shows the computed result.
bool wait_for_request() {
  int character = std::getchar();
  while (character != EOF && character != '\n') character = std::getchar();
  return character != EOF;
}

void iterate(const Options& options, Work& work,
             const std::function<void(const std::function<void()>&)>& in_turn) {
  const auto iteration = iteration_of(options, work);
  const int iterations = options.number("--iterations", 2000);
  const int last = options.number("--crash-after", -1);
  const std::string until = options.text("--until");  // a file whose existence ends the program early
  std::this_thread::sleep_for(std::chrono::milliseconds(options.number("--prepares-ms", 0)));
  for (int i = 0; i < iterations && (until.empty() || access(until.c_str(), F_OK) != 0); ++i) {
    if (options.has("--serve") && !wait_for_request()) break;
    if (options.has("--range")) nvtxRangePushA(options.text("--range").c_str());
    work.refill(i);
    in_turn([&] {
      iteration(i);
      if (!options.has("--no-wait")) work.wait();
    });
    if (options.has("--range")) nvtxRangePop();
    if (options.has("--serve")) {
      std::printf("answer %d: %.6f\n", i, work.checksum());
      std::fflush(stdout);
    }
    if (i == last) std::raise(SIGSEGV);
    if (options.has("--sleep-us")) usleep(static_cast<useconds_t>(options.number("--sleep-us", 0)));
  }
}

/// Creates an array that nothing uses.
void make_array() {
  CUDA_ARRAY_DESCRIPTOR description{16, 16, CU_AD_FORMAT_FLOAT, 1};
  CUarray array = nullptr;
  CHECK(cuArrayCreate(&array, &description));
}

/// Runs a loop of other work after the first one, with --then iterations. It changes the whole cache if the
/// first one does.
void iterate_otherwise(const Options& options, Work& work) {
  for (int i = 0; i < options.number("--then", 0); ++i) {
    work.allocating();
    if (options.text("--writes") == "all") work.changing_cache();
    work.wait();
  }
}

/// Uses memory and resets the device, as if another part of the program had used it before.
void use_and_reset(CUcontext context) {
  constexpr size_t kBytes = size_t{8} << 20;
  CUdeviceptr memory = 0;
  CHECK(cuMemAlloc(&memory, kBytes));
  CHECK(cuMemsetD8(memory, 1, kBytes));
  make_array();
  CHECK(cuDevicePrimaryCtxReset(0));
  CHECK(cuCtxSetCurrent(context));
}

CUdeviceptr make_scratch(const Options& options) {
  if (!options.has("--managed")) return allocate();
  CUdeviceptr address = 0;
  CHECK(cuMemAllocManaged(&address, kCount * sizeof(float), CU_MEM_ATTACH_GLOBAL));
  return address;
}

}  // namespace

int main(int count, char** words) {
  const Options options(count, words);
  CHECK(cuInit(0));
  CUcontext context = nullptr;
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  if (options.has("--resets")) use_and_reset(context);
  const Kernels kernels;
  if (options.has("--arena")) arena.next = allocate(static_cast<size_t>(options.number("--arena", 0)) << 10);
  if (options.has("--array")) make_array();
  const int thread_count = options.number("--threads", 1);
  Turns turns(thread_count);
  const auto run = [&](int number, CUdeviceptr scratch) {
    CHECK(cuCtxSetCurrent(context));
    Work work(kernels, options.has("--own-streams") ? CU_STREAM_PER_THREAD : make_stream(), scratch);
    iterate(options, work, [&](const std::function<void()>& body) {
      if (options.has("--in-turn"))
        turns.take(number, body);
      else if (options.has("--thread-each"))
        std::thread([&] {
          CHECK(cuCtxSetCurrent(context));
          body();
        }).join();
      else
        body();
    });
    iterate_otherwise(options, work);
    return work.checksum();
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < thread_count; ++i) threads.emplace_back([&, i] { run(i, allocate()); });
  const double checksum = run(0, make_scratch(options));
  for (std::thread& thread : threads) thread.join();
  std::printf("program: %d iterations, checksum %.6f\n", options.number("--iterations", 2000), checksum);
  if (options.has("--check-s")) {  // on the host, as if results were checked
    std::fflush(stdout);
    sleep(static_cast<unsigned>(options.number("--check-s", 0)));
  }
  return options.number("--exit", 0);
}
