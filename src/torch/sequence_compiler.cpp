#include "torch/sequence_compiler.hpp"

namespace kjoule::runner {

namespace {

/// A piece of memory during replay: the result of a call of this pass, or the work copy of a recorded
/// version.
struct Memory {
  int version;                               ///< number of writes so far
  const StorageVersion* recorded = nullptr;  ///< recorded version of a work copy; null for other memory
  int recorded_version = 0;
};

class Compiler {
 public:
  explicit Compiler(const RecordedProgram& program) : program_(program) {}

  void add(LaunchIndex launch, int segment, bool timed) {
    const RecordedCall& call = program_.calls.at(launch);
    ReplayStep step;
    step.launch = launch;
    step.segment = segment;
    step.timed = timed;
    std::map<const c10::StorageImpl*, int> memory_of;
    for (const TensorUse& use : call.reads) read(use, step, memory_of);
    for (const TensorUse& use : call.reads)
      if (use.written) memories_[static_cast<size_t>(memory_of.at(use.storage))].version = use.version + 1;
    for (const TensorUse& use : call.makes) make(use, step, memory_of);
    out_.steps.push_back(std::move(step));
  }

  CompiledSequence finish() {
    for (const auto& [slot, step] : last_use_) out_.steps[step].frees.push_back(slot);
    for (const Memory& memory : memories_)
      if (memory.recorded != nullptr && memory.version != memory.recorded_version)
        out_.final_restores.push_back(memory.recorded);
    mark_spans();
    return std::move(out_);
  }

 private:
  struct Live {
    int slot;
    int memory;
  };

  size_t here() const { return out_.steps.size(); }

  void read(const TensorUse& use, ReplayStep& step, std::map<const c10::StorageImpl*, int>& memory_of) {
    const auto live = live_.find(use.value);
    if (live != live_.end() && memories_[static_cast<size_t>(live->second.memory)].version == use.version) {
      step.feeds.push_back({use.position, live->second.slot});
      last_use_[live->second.slot] = here();
      memory_of[use.storage] = live->second.memory;
      return;
    }
    const int memory = recorded_memory(use, step);
    memory_of[use.storage] = memory;
  }

  /// Returns the index of the memory to which the recorded argument is bound. If an earlier call of this pass
  /// has written this memory, `step` restores it first.
  int recorded_memory(const TensorUse& use, ReplayStep& step) {
    const auto key = std::make_pair(use.storage, use.version);
    const auto [it, is_new] = recorded_.try_emplace(key, static_cast<int>(memories_.size()));
    if (is_new) {
      const auto version = program_.versions.find(key);
      const StorageVersion* copy = version == program_.versions.end() ? nullptr : &version->second;
      memories_.push_back({use.version, copy, use.version});
    }
    Memory& memory = memories_[static_cast<size_t>(it->second)];
    if (memory.version != memory.recorded_version) {
      step.restores.push_back(memory.recorded);
      memory.version = memory.recorded_version;
    }
    return it->second;
  }

  void make(const TensorUse& use, ReplayStep& step, const std::map<const c10::StorageImpl*, int>& memory_of) {
    const auto shared = memory_of.find(use.storage);
    int memory = 0;
    if (shared != memory_of.end()) {
      memory = shared->second;
    } else {
      memory = static_cast<int>(memories_.size());
      memories_.push_back({use.version});
    }
    const int slot = out_.slots++;
    live_[use.value] = {slot, memory};
    step.takes.push_back({use.position, slot});
    last_use_[slot] = here();
  }

  void mark_spans() {
    for (size_t s = 1; s < out_.steps.size(); ++s) {
      ReplayStep& step = out_.steps[s];
      ReplayStep& before = out_.steps[s - 1];
      const bool nothing_between =
          step.restores.empty() && !program_.calls[step.launch].generator_state.defined();
      const bool joined = step.segment == before.segment && step.timed == before.timed && nothing_between;
      step.starts_span = !joined;
      before.ends_span = !joined;
    }
  }

  const RecordedProgram& program_;
  CompiledSequence out_;
  std::vector<Memory> memories_;
  std::map<std::pair<const c10::StorageImpl*, int>, int> recorded_;
  std::unordered_map<const c10::TensorImpl*, Live> live_;
  std::map<int, size_t> last_use_;
};

}  // namespace

CompiledSequence compile_sequence(const RecordedProgram& program, const Sequence& sequence) {
  Compiler compiler(program);
  for (size_t s = 0; s < sequence.segments.size(); ++s) {
    const Segment& segment = sequence.segments[s];
    for (const LaunchIndex launch : segment.lead) compiler.add(launch, static_cast<int>(s), false);
    for (const LaunchIndex launch : segment.timed) compiler.add(launch, static_cast<int>(s), true);
  }
  return compiler.finish();
}

}  // namespace kjoule::runner
