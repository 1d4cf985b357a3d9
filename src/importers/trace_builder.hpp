#pragma once
#include <fmt/format.h>

#include <string>

namespace kjoule {

/// Writes profiler traces in kineto's format, for tests. Each iteration launches the kernel `gemm` twice and
/// one copy.
class TraceBuilder {
 public:
  TraceBuilder& late_us(double us) {
    late_us_ = us;
    return *this;
  }
  TraceBuilder& named(const std::string& name) {
    name_ = name;
    return *this;
  }
  TraceBuilder& without_shapes() {
    shapes_ = false;
    return *this;
  }
  TraceBuilder& overlapping() {
    overlapping_ = true;
    return *this;
  }
  TraceBuilder& on_device(int device) {
    device_ = device;
    return *this;
  }
  TraceBuilder& steps(int number) {
    for (int i = 0; i < number; ++i) step(false);
    return *this;
  }
  /// Adds steps, each with a launch that no other step has.
  TraceBuilder& warm_up(int number) {
    for (int i = 0; i < number; ++i) step(true);
    return *this;
  }
  /// Adds a step without launches, like the one that the profiler opens after the last iteration.
  TraceBuilder& empty_step() {
    mark(step_end_us_, now_us_ + 50);
    return *this;
  }
  TraceBuilder& unmarked(int number) {
    for (int i = 0; i < number; ++i) iteration();
    return *this;
  }
  TraceBuilder& unmarked_iteration(int kernels) {
    for (int i = 0; i < kernels; ++i) launch(fmt::format("k{}", i), "[1,1,1]");
    now_us_ += 500;
    return *this;
  }
  TraceBuilder& pause_us(double us) {
    now_us_ += us;
    return *this;
  }
  /// Adds a launch to the next step.
  TraceBuilder& launch(const std::string& name, const std::string& grid) {
    const int external = make_operator_call("aten::addmm");
    call(external);
    device_event("kernel", name,
                 fmt::format(R"("External id": {}, "shared memory": 49152, "grid": {}, )"
                             R"("block": [128,1,1])",
                             external, grid));
    return *this;
  }
  /// Adds a kernel without a launching call.
  TraceBuilder& orphan(const std::string& name) {
    correlation_ += 1000;
    device_event("kernel", name, R"("grid": [1,1,1])");
    return *this;
  }

  std::string text() const {
    return fmt::format(
        "{{\"schemaVersion\": 1, \"deviceProperties\": [{{\"id\": 0, \"name\": \"NVIDIA H200\"}}],\n"
        "\"record_shapes\": {}, \"traceEvents\": [\n{}\n], \"traceName\": \"t\"}}\n",
        shapes_ ? 1 : 0, events_);
  }

 private:
  void add(const std::string& event) { events_ += (events_.empty() ? "" : ",\n") + event; }

  int make_operator_call(const char* name) {
    ++external_;
    const char* inputs =
        R"(, "Input Dims": [[5, 8], [8, 4]], "Input Strides": [[8, 1], [4, 1]], "Input type": ["float", "float"], )"
        R"("Concrete Inputs": ["", ""])";
    add(fmt::format(
        R"({{"ph": "X", "cat": "cpu_op", "name": "{}", "pid": 9, "tid": 9, "ts": {:.3f}, "dur": 8.5, )"
        R"("args": {{"External id": {}, "Ev Idx": 1{}}}}})",
        name, now_us_, external_, shapes_ ? inputs : ""));
    return external_;
  }
  void call(int external) {
    add(fmt::format(
        R"({{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, )"
        R"("ts": {:.3f}, "dur": 3, "args": {{"External id": {}, "cbid": 211, "correlation": {}}}}})",
        now_us_ + 2, external, ++correlation_));
    now_us_ += 10;
  }
  void device_event(const char* category, const std::string& name, const std::string& args) {
    add(fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 0, "tid": 7, "ts": {:.3f}, "dur": 2.125, )"
        R"("args": {{"device": {}, "stream": 7, "correlation": {}, {}}}}})",
        category, name, now_us_ + late_us_, device_, correlation_, args));
  }
  void iteration() {
    launch("gemm", "[16,1,1]");
    launch("gemm", "[16,1,1]");
    call(make_operator_call("aten::copy_"));
    device_event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", R"("bytes": 4096)");
    now_us_ += 5;
  }
  void step(bool warm_up) {
    const double begin_us = first_ ? now_us_ : step_end_us_;
    first_ = false;
    iteration();
    if (warm_up) launch(fmt::format("tuning{}", number_), "[1,1,1]");
    step_end_us_ = now_us_;
    mark(begin_us, now_us_ + (overlapping_ ? 1 : 0));
  }
  void mark(double begin_us, double end_us) {
    const std::string name = name_.empty() ? fmt::format("ProfilerStep#{}", number_) : name_;
    ++number_;
    add(fmt::format(
        R"({{"ph": "X", "cat": "user_annotation", "name": "{}", "pid": 9, "tid": 9, "ts": {:.3f}, )"
        R"("dur": {:.3f}, "args": {{"External id": 0}}}})",
        name, begin_us, end_us - begin_us));
  }

  std::string events_, name_;
  double now_us_ = 1700000000000.5, step_end_us_ = 0, late_us_ = 300;
  int external_ = 0, correlation_ = 0, number_ = 1, device_ = 0;
  bool shapes_ = true, overlapping_ = false, first_ = true;
};

}  // namespace kjoule
