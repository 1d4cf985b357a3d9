// A program of several processes, for tests: each has a device and a rank, and they add up their results with
// a collective. Knows nothing of kjoule.
//
//   ranks_program RANKS ITERATIONS [option [rank]]...
//
//   --no-launcher   no environment variables state the ranks of the processes
//   --host-file     the ranks communicate through pinned memory in a file like those of NCCL
//   --queue         the arguments of collectives state that their work is in a queue
//   --elsewhere     environment variables state that as many further ranks are on another machine
//   --wanders R     rank R launches a different number of kernels in each iteration
//   --late R        rank R begins its first iteration half a second after the others
//   --dies R N      rank R crashes after N iterations
//   --leaves R N    rank R ends after N iterations, with exit code 0
//   --stops R N     rank R launches nothing after N iterations, but does not end
//   --two           the ranks have two communicators
//   --crossed       the ranks use the two communicators in two streams, each rank in another order (with
//                   FAKE_CUDA_DEFERS=streams)
//   --network       a thread of the host permits each message, as for a network
//   --heavy R       kernels of rank R, except collectives, read and write more memory than those of the
//   others
//   --scalars R     rank R scales by another value in each layer, so that these launches are several kernels
//   --uneven R      rank R launches more kernels in an iteration than the others
//   --sleeps R      the host of rank R sleeps 1 ms before the second collective of each iteration
//   --overlapped    kernels in another stream run next to the first collective
//   --stages        instead of a collective, each rank sends its result to the next one, as in a pipeline
//   --apart         no collective: each rank works for itself
//   --prepares      the process that forks the ranks uses an NVTX range before, but no CUDA
//   --prints        each rank prints its result after each iteration

#include <cuda.h>
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "program_kernels.hpp"
#include "program_options.hpp"

namespace {

constexpr unsigned kCount = stand_in::kMailFloats;

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "ranks_program: %s: %d\n", call, static_cast<int>(result));
  std::_Exit(3);
}
#define CHECK(call) check(call, #call)

/// The data that the processes share: the handles of their mailboxes, or of files that contain them, and
/// their progress.
struct Shared {
  CUipcMemHandle handles[2][stand_in::kMostRanks];
  int host_file[2];  ///< -1 if there is none
  std::atomic<int> ready;
  stand_in::Arrivals arrivals;
};

/// An NVTX range of a function of NCCL, with the payload of NCCL 2.18 and later if it has a message.
class NcclRange {
 public:
  explicit NcclRange(const char* function) : NcclRange(function, nullptr) {}
  NcclRange(const char* function, int communicator, uint64_t bytes)
      : message_{0xC0FFEE00u + static_cast<unsigned>(communicator), bytes, 0} {
    const nvtxPayloadData_t payload{NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5, sizeof message_, &message_};
    push(function, &payload);
  }
  ~NcclRange() { nvtxDomainRangePop(domain()); }
  NcclRange(const NcclRange&) = delete;
  NcclRange& operator=(const NcclRange&) = delete;

 private:
  NcclRange(const char* function, const nvtxPayloadData_t* payload) { push(function, payload); }
  static nvtxDomainHandle_t domain() {
    static const nvtxDomainHandle_t nccl = nvtxDomainCreateA("NCCL");
    return nccl;
  }
  static void push(const char* function, const nvtxPayloadData_t* payload) {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(domain(), function);
    if (payload != nullptr) {
      attributes.payloadType = static_cast<int32_t>(NVTX_PAYLOAD_TYPE_EXT);
      attributes.reserved0 = 1;  // the number of payloads
      attributes.payload.ullValue = reinterpret_cast<uint64_t>(payload);
    }
    nvtxDomainRangePushEx(domain(), &attributes);
  }

  struct Message {
    uint64_t communicator, bytes;
    int operation;
  };
  Message message_{};
};

/// One process of the program.
class Rank {
 public:
  Rank(Shared& shared, int rank, int ranks, const stand_in::ProgramOptions& options)
      : shared_(shared),
        rank_(rank),
        ranks_(ranks),
        count_(options.names("--heavy", rank) ? 150 * kCount : kCount) {
    CHECK(cuInit(0));
    CUcontext context = nullptr;
    CHECK(cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(cuCtxSetCurrent(context));
    CUmodule module = nullptr;
    CHECK(cuModuleLoadData(&module, "any"));
    const auto function = [&](const char* name) {
      CUfunction found = nullptr;
      CHECK(cuModuleGetFunction(&found, module, name));
      return found;
    };
    fill_ = function("fill");
    scale_ = function("scale");
    add_ = function("add");
    all_reduce_ = function(stand_in::kAllReduce);
    reduce_queued_ = function(stand_in::kReduceQueued);
    send_ = function(stand_in::kSend);
    receive_ = function(stand_in::kReceive);
    reduce_if_permitted_ = function(stand_in::kReduceIfPermitted);
    void* permitted = nullptr;
    CHECK(cuMemHostAlloc(&permitted, 64, 0));
    permitted_ = static_cast<uint64_t*>(permitted);
    for (CUstream* stream : {&stream_, &own_streams_[0], &own_streams_[1]})
      CHECK(cuStreamCreate(stream, CU_STREAM_NON_BLOCKING));
    for (CUdeviceptr* buffer : {&x_, &y_, &state_}) CHECK(cuMemAlloc(buffer, count_ * sizeof(float)));
    launch(fill_, state_, static_cast<float>(rank + 1), count_);
    for (int number = 0; number < 2; ++number) make_communicator(number);
  }

  void iterate(int iterations, const stand_in::ProgramOptions& options) {
    if (options.has("--overlapped")) make_side();
    if (options.names("--late", rank_)) usleep(500'000);
    for (int i = 0; i < iterations; ++i) {
      if (options.has("--stages") && rank_ > 0) in_group("ncclRecv", receive_);
      input_.assign(kCount, 0.001F * static_cast<float>(i % 10));
      CHECK(cuMemcpyHtoDAsync(x_, input_.data(), kCount * sizeof(float), stream_));
      if (!options.has("--stages")) CHECK(cuMemsetD32Async(y_, 0, kCount, stream_));
      for (int layer = 0; layer < 3; ++layer) {
        launch(add_, y_, x_, count_);
        launch(add_, y_, state_, count_);
        if (options.has("--overlapped") && layer == 0) overlap();
        if (options.names("--sleeps", rank_) && layer == 1) usleep(1000);
        if (options.names("--uneven", rank_)) launch(scale_, y_, 1.0F, count_);
        for (int more = 0; options.names("--wanders", rank_) && more < i * 7 % 5; ++more)
          launch(scale_, y_, 1.0F, count_);
        if (options.has("--crossed"))
          reduce_crossed();
        else if (options.has("--network"))
          reduce_over_network();
        else if (options.has("--queue"))
          reduce_from_queue();
        else if (!options.has("--apart") && !options.has("--stages"))
          reduce(y_, options.has("--two") ? layer % 2 : 0);
        const float less = options.names("--scalars", rank_) ? 1e-3F * static_cast<float>(layer) : 0;
        launch(scale_, y_, 0.5F / static_cast<float>(ranks_) - less, count_);
      }
      if (options.has("--stages") && rank_ + 1 < ranks_) in_group("ncclSend", send_);
      launch(add_, state_, y_, count_);
      launch(scale_, state_, 0.5F, count_);
      if (options.has("--overlapped")) CHECK(cuStreamSynchronize(own_streams_[0]));
      CHECK(cuStreamSynchronize(stream_));
      if (options.has("--prints")) print_result(i + 1);
      if (options.names("--dies", rank_, i)) std::raise(SIGSEGV);
      if (options.names("--leaves", rank_, i)) std::exit(0);
      if (options.names("--stops", rank_, i)) pause();
    }
    print_result(iterations);
  }

 private:
  void print_result(int iterations) {
    std::vector<float> result(kCount);
    CHECK(cuMemcpyDtoH(result.data(), state_, kCount * sizeof(float)));
    std::printf("rank %d: %d iterations, %.7g\n", rank_, iterations, static_cast<double>(result[7]));
    std::fflush(stdout);
  }
  template <typename... Arguments>
  void launch(CUfunction function, Arguments... arguments) {
    launch_in(stream_, function, arguments...);
  }
  template <typename... Arguments>
  static void launch_in(CUstream stream, CUfunction function, Arguments... arguments) {
    void* pointers[] = {&arguments...};
    CHECK(cuLaunchKernel(function, 1, 1, 1, kCount, 1, 1, 0, stream, pointers, nullptr));
  }
  void reduce(CUdeviceptr data, int communicator) {
    const NcclRange range("ncclAllReduce", communicator, kCount * sizeof(float));
    launch(all_reduce_, data, kCount, communicators_[communicator]);
  }
  /// Launches the kernel at the end of a group, as NCCL does.
  void in_group(const char* function, CUfunction kernel) {
    { const NcclRange begin("ncclGroupStart"); }
    { const NcclRange message(function, 1, kCount * sizeof(float)); }
    const NcclRange end("ncclGroupEnd");
    launch(kernel, y_, kCount, communicators_[1]);
  }
  void make_side() {
    CHECK(cuMemAlloc(&side_, kCount * sizeof(float)));
    launch(fill_, side_, 0.0F, kCount);
  }
  /// Launches kernels in another stream, which take longer than the host's calls.
  void overlap() {
    for (int i = 0; i < 12; ++i) launch_in(own_streams_[0], scale_, side_, 0.5F, kCount);
  }
  void reduce_crossed() {
    CHECK(cuStreamSynchronize(stream_));
    for (int turn = 0; turn < 2; ++turn) {
      const int communicator = (turn + rank_) % 2;
      launch_in(own_streams_[communicator], all_reduce_, communicator == 0 ? y_ : x_, kCount,
                communicators_[communicator]);
    }
    for (const CUstream stream : own_streams_) CHECK(cuStreamSynchronize(stream));
  }
  void reduce_from_queue() {
    stand_in::QueuedWork work{};
    work.place = 1;
    work.communicator = reinterpret_cast<stand_in::Communicator*>(communicators_[0]);
    work.data = reinterpret_cast<float*>(y_);
    launch(reduce_queued_, work);
  }
  void reduce_over_network() {
    std::atomic_ref(*permitted_).fetch_add(1);
    launch(reduce_if_permitted_, y_, kCount, communicators_[0], permitted_);
  }
  void make_communicator(int number) {
    stand_in::Communicator communicator{static_cast<unsigned>(ranks_),
                                        static_cast<unsigned>(rank_),
                                        static_cast<unsigned>(number),
                                        0,
                                        {},
                                        {},
                                        {}};
    if (shared_.host_file[number] < 0)
      share_mailboxes(number, communicator);
    else
      map_mailboxes(shared_.host_file[number], communicator);
    CHECK(cuMemAlloc(&communicators_[number], sizeof communicator));
    CHECK(cuMemcpyHtoD(communicators_[number], &communicator, sizeof communicator));
  }
  static void map_mailboxes(int file, stand_in::Communicator& communicator) {
    constexpr size_t kBytes = sizeof(stand_in::Mailbox) * stand_in::kMostRanks;
    void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(cuMemHostRegister(memory, kBytes, 0));
    for (unsigned rank = 0; rank < stand_in::kMostRanks; ++rank)
      communicator.mailboxes[rank] = static_cast<stand_in::Mailbox*>(memory) + rank;
  }
  void share_mailboxes(int number, stand_in::Communicator& communicator) {
    CUdeviceptr mailbox = 0;
    CHECK(cuMemAlloc(&mailbox, sizeof(stand_in::Mailbox)));
    CHECK(cuMemsetD8(mailbox, 0, sizeof(stand_in::Mailbox)));
    CHECK(cuIpcGetMemHandle(&shared_.handles[number][rank_], mailbox));
    ++shared_.ready;
    while (shared_.ready < ranks_ * (number + 1)) std::this_thread::yield();
    for (int other = 0; other < ranks_; ++other) {
      CUdeviceptr address = mailbox;
      if (other != rank_)
        CHECK(
            cuIpcOpenMemHandle(&address, shared_.handles[number][other], CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
      communicator.mailboxes[other] = reinterpret_cast<stand_in::Mailbox*>(address);
    }
  }

  Shared& shared_;
  int rank_, ranks_;
  unsigned count_;  ///< floats that its kernels read and write
  CUfunction fill_ = nullptr, scale_ = nullptr, add_ = nullptr, all_reduce_ = nullptr,
             reduce_queued_ = nullptr, reduce_if_permitted_ = nullptr, send_ = nullptr, receive_ = nullptr;
  CUstream stream_ = nullptr, own_streams_[2] = {};
  CUdeviceptr x_ = 0, y_ = 0, state_ = 0, side_ = 0, communicators_[2] = {};
  uint64_t* permitted_ = nullptr;  ///< number of messages that the host has permitted
  std::vector<float> input_;
};

/// Creates and opens a file like those that NCCL uses for a communicator.
int make_host_file(int number) {
  const std::string path = "/dev/shm/nccl-of-test-" + std::to_string(getpid()) + "-" + std::to_string(number);
  const int file = open(path.c_str(), O_CREAT | O_RDWR, 0600);
  if (file < 0 || ftruncate(file, sizeof(stand_in::Mailbox) * stand_in::kMostRanks) != 0) std::_Exit(3);
  unlink(path.c_str());
  return file;
}

void set_number(const char* name, uint64_t value) {
  setenv(name, std::to_string(value).c_str(), 1);
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const auto ranks = static_cast<unsigned>(std::atoi(words[1]));
  const stand_in::ProgramOptions options(count, words);
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = static_cast<Shared*>(memory);
  set_number(stand_in::kArrivals, reinterpret_cast<uint64_t>(&shared->arrivals));
  for (int number = 0; number < 2; ++number)
    shared->host_file[number] = options.has("--host-file") ? make_host_file(number) : -1;
  if (options.has("--prepares")) {
    nvtxRangePushA("prepare");
    nvtxRangePop();
  }
  std::vector<pid_t> processes;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    const pid_t process = fork();
    if (process > 0) {
      processes.push_back(process);
      continue;
    }
    set_number("FAKE_CUDA_DEVICE", rank);
    if (!options.has("--no-launcher")) {
      set_number("RANK", rank);
      set_number("WORLD_SIZE", options.has("--elsewhere") ? 2 * ranks : ranks);
      set_number("LOCAL_RANK", rank);
      set_number("LOCAL_WORLD_SIZE", ranks);
    }
    Rank(*shared, static_cast<int>(rank), static_cast<int>(ranks), options)
        .iterate(std::atoi(words[2]), options);
    std::exit(0);
  }
  int code = 0;
  for (const pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    if (status != 0) code = 1;
  }
  return code;
}
