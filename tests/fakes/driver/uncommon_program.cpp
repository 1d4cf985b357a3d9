// A CUDA program for tests that also uses NVTX, threads or signals in an uncommon way, which its argument
// selects. It knows nothing of kjoule.

#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace {

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "uncommon_program: %s: error %d\n", call, static_cast<int>(result));
  std::_Exit(3);
}
#define CHECK(call) check(call, #call)

constexpr unsigned kCount = 4096;  // floats in the buffer
constexpr unsigned kThreads = 256;

void use_range(const char* name) {
  nvtxRangePushA(name);
  nvtxRangePop();
}

CUcontext start_cuda() {
  CHECK(cuInit(0));
  CUcontext context = nullptr;
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  return context;
}

void do_nothing(CUdeviceptr) {}

/// Starts CUDA, and then `times` times launches a kernel three times and waits for it. In between, `step`
/// works with the kernel's memory.
template <typename Step>
void use_cuda(int times, const Step& step, const char* kernel = "fill") {
  start_cuda();
  CUmodule module = nullptr;
  CHECK(cuModuleLoadData(&module, "any"));
  CUfunction fill = nullptr;
  CHECK(cuModuleGetFunction(&fill, module, kernel));
  CUdeviceptr buffer = 0;
  CHECK(cuMemAlloc(&buffer, kCount * sizeof(float)));
  unsigned count = kCount;
  for (int i = 0; i < times; ++i) {
    for (float value : {1.F, 2.F, 3.F}) {
      void* arguments[] = {&buffer, &value, &count};
      CHECK(cuLaunchKernel(fill, kCount / kThreads, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr));
    }
    step(buffer);
    CHECK(cuCtxSynchronize());
  }
}

void use_cuda(int times = 1) {
  use_cuda(times, do_nothing);
}

int use_range_before_cuda() {
  use_range("load data");
  nvtxRangePushA("whole run");  // CUDA starts within it
  use_cuda();
  nvtxRangePop();
  return 0;
}

constexpr const char* kLongName = "a name that is too long to be kept within a string";
std::atomic<unsigned> uses_of_worker = 0;

void use_both_ranges() {
  use_range(kLongName);
  nvtxRangeEnd(nvtxRangeStartA(kLongName));
}

void wait_for_worker(unsigned uses) {
  for (const unsigned until = uses_of_worker + uses; uses_of_worker < until;) std::this_thread::yield();
}

/// Uses ranges in its destructor, and waits until the worker has done so.
struct UserAtExit {
  bool active = false;
  ~UserAtExit() {
    if (!active) return;
    nvtxRangePop();  // the range that is still open
    for (int i = 0; i < 1000; ++i) use_both_ranges();
    wait_for_worker(1000);
    std::puts("uncommon_program: exits");
  }
};
UserAtExit user_at_exit;

int use_ranges_at_exit() {
  use_cuda();
  user_at_exit.active = true;
  nvtxRangePushA(kLongName);
  nvtxRangeStartA(kLongName);
  std::thread([] {
    for (;; ++uses_of_worker) use_both_ranges();
  }).detach();
  wait_for_worker(1);
  return 0;
}

/// Its destructor waits for a line on standard input, and then prints the program's result.
struct ResultAtExit {
  bool active = false;
  ~ResultAtExit() {
    if (!active) return;
    std::getchar();
    std::puts("uncommon_program: result");
  }
};
ResultAtExit result_at_exit;

/// Uses CUDA after one line on standard input, and returns after another line. The result is printed at the
/// exit.
int write_result_at_exit() {
  result_at_exit.active = true;
  std::printf("uncommon_program: process %d\n", getpid());
  std::fflush(stdout);
  std::getchar();
  use_cuda();
  std::getchar();
  std::puts("uncommon_program: leaves main");
  std::fflush(stdout);
  return 0;
}

/// Behaves like a server: starts CUDA, blocks a signal in its threads, and waits for it in one of them.
int wait_for_signal() {
  use_cuda();
  use_range("load data");
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  kill(getpid(), SIGTERM);
  int signal = 0;
  sigwait(&signals, &signal);
  std::printf("uncommon_program: took signal %d\n", signal);
  return 0;
}

/// Launches kernels in a thread that still runs when the static objects are destroyed.
struct LaunchesAtExit {
  std::thread launching;
  ~LaunchesAtExit() {
    if (!launching.joinable()) return;
    launching.join();
    std::puts("uncommon_program: joined");
  }
};
LaunchesAtExit launches_at_exit;

int launch_until_joined() {
  const CUcontext context = start_cuda();
  launches_at_exit.launching = std::thread([context] {
    CHECK(cuCtxSetCurrent(context));
    uses_of_worker = 1;
    use_cuda(20'000);
  });
  while (uses_of_worker == 0) std::this_thread::yield();
  return 0;
}

/// Launches a solver once, for values that the host has written.
int solve_once() {
  start_cuda();
  CUmodule module = nullptr;
  CHECK(cuModuleLoadData(&module, "any"));
  CUfunction solve = nullptr;
  CHECK(cuModuleGetFunction(&solve, module, "solve"));
  unsigned count = 1U << 20;
  CUdeviceptr values = 0;
  CHECK(cuMemAllocManaged(&values, count * sizeof(float), CU_MEM_ATTACH_GLOBAL));
  std::fill_n(reinterpret_cast<float*>(values), count, 0.F);
  void* arguments[] = {&values, &count};
  CHECK(cuLaunchKernel(solve, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuCtxSynchronize());
  return 0;
}

/// Launches kernels while another thread allocates pinned memory, as a data loader does.
int allocate_beside() {
  const CUcontext context = start_cuda();
  std::thread([context] {
    CHECK(cuCtxSetCurrent(context));
    for (;; ++uses_of_worker) {
      void* pinned[64];
      for (void*& memory : pinned) CHECK(cuMemHostAlloc(&memory, 4096, 0));
      for (void* memory : pinned) CHECK(cuMemFreeHost(memory));
    }
  }).detach();
  wait_for_worker(1);
  use_cuda(100'000);
  return 0;
}

constexpr int kLoop = 100'000;  ///< iterations that kjoule finds and measures

/// Writes values to memory by a stream at the end of each iteration or, if `once`, of the first iteration
/// only.
int write_values(bool once) {
  bool writes = true;
  use_cuda(kLoop, [&](CUdeviceptr buffer) {
    if (writes) CHECK(cuStreamWriteValue32(nullptr, buffer, 1, 0));
    if (once) writes = false;
  });
  return 0;
}

/// Opens memory of another process, and closes it before the loop if `closes`.
int open_memory(bool closes) {
  start_cuda();
  CUdeviceptr memory = 0;
  CHECK(cuIpcOpenMemHandle(&memory, CUipcMemHandle{}, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  if (closes) CHECK(cuIpcCloseMemHandle(memory));
  use_cuda(kLoop);
  return 0;
}

int open_event() {
  start_cuda();
  CUevent event = nullptr;
  CHECK(cuIpcOpenEventHandle(&event, CUipcEventHandle{}));
  use_cuda(kLoop);
  return 0;
}

int use_nvshmem() {
  use_cuda(kLoop, do_nothing, "nvshmemi_fill_kernel");
  return 0;
}

constexpr unsigned kPatience_s = 20;  // for a child process whose work takes less than a second

/// Runs `work` in a forked process, and returns whether it has ended in time.
template <typename Work>
bool succeeds_in_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kPatience_s);
    work();
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/// Forks while another thread uses ranges. The child processes also use ranges.
int fork_among_ranges() {
  std::thread([] {
    for (;; ++uses_of_worker) use_both_ranges();
  }).detach();
  wait_for_worker(1);
  for (int i = 0; i < 200; ++i) {
    const auto use_and_end = [] {
      use_both_ranges();
      _exit(0);
    };
    if (!succeeds_in_child(use_and_end)) {
      std::fprintf(stderr, "uncommon_program: child %d did not end\n", i);
      return 1;
    }
  }
  return 0;
}

/// Uses CUDA in a forked process only, but ranges in both processes.
int use_cuda_in_child() {
  use_range("load data");
  const auto use_and_exit = [] {
    use_cuda();
    use_range("child");
    std::exit(0);
  };
  return succeeds_in_child(use_and_exit) ? 0 : 1;
}

}  // namespace

int main(int, char** words) {
  const std::string_view habit = words[1] != nullptr ? words[1] : "";
  int code = 2;
  if (habit == "before-cuda") code = use_range_before_cuda();
  if (habit == "at-exit") code = use_ranges_at_exit();
  if (habit == "result-at-exit") code = write_result_at_exit();
  if (habit == "launches-at-exit") code = launch_until_joined();
  if (habit == "waits-for-signal") code = wait_for_signal();
  if (habit == "solves-once") code = solve_once();
  if (habit == "allocates-beside") code = allocate_beside();
  if (habit == "writes-values") code = write_values(false);
  if (habit == "writes-value-once") code = write_values(true);
  if (habit == "opens-memory") code = open_memory(false);
  if (habit == "opens-and-closes-memory") code = open_memory(true);
  if (habit == "opens-event") code = open_event();
  if (habit == "uses-nvshmem") code = use_nvshmem();
  if (habit == "forks") code = fork_among_ranges();
  if (habit == "forks-with-cuda") {
    use_cuda();
    code = fork_among_ranges();
  }
  if (habit == "cuda-in-child") code = use_cuda_in_child();
  if (code == 0) std::puts("uncommon_program: done");
  return code;
}
