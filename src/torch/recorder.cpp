#include "torch/recorder.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <torch/library.h>

#include <set>

#include "base/error.hpp"
#include "torch/describe.hpp"
#include "torch/nvtx_range.hpp"

namespace kjoule::runner {

namespace {

/// Handles each operator call while recording. Each of the two runs of record_program() uses a subclass.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Makes the call and records it. Operators within the call, and those that the observer itself calls, are
  /// not observed.
  virtual void call(const c10::OperatorHandle& op, torch::jit::Stack* stack) = 0;
};

thread_local Observer* observer = nullptr;

void on_call(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard once(c10::DispatchKey::TESTING_ONLY_GenericMode);
  if (observer == nullptr)
    op.callBoxed(stack);
  else
    observer->call(op, stack);
}

void observe(Observer& what, const std::function<void()>& iteration) {
  const c10::impl::IncludeDispatchKeyGuard seen(c10::DispatchKey::TESTING_ONLY_GenericMode);
  observer = &what;
  try {
    iteration();
  } catch (...) {
    observer = nullptr;
    throw;
  }
  observer = nullptr;
}

/// Calls each operator on a stack that contains only its own arguments.
class OwnArguments final : public Observer {
 public:
  void call(const c10::OperatorHandle& op, torch::jit::Stack* stack) override {
    torch::jit::Stack own = torch::jit::pop(*stack, op.schema().arguments().size());
    op.callBoxed(own);
    stack->insert(stack->end(), own.begin(), own.end());
  }
};

at::Tensor generator_state() {
  return at::detail::getDefaultCPUGenerator().get_state();
}

/// The changes that one call of the first run made.
struct Writes {
  std::string signature;
  /// Arguments whose storage the call changed, or may change according to its schema.
  std::set<Position> positions;
  bool undeclared = false;
  bool generator = false;
};

bool declared_write(const c10::OperatorHandle& op, int argument) {
  const auto* alias = op.schema().arguments()[static_cast<size_t>(argument)].alias_info();
  return alias != nullptr && alias->isWrite();
}

/// The observer of the first run, which hashes every argument's storage before and after each call.
class WriteFinder final : public Observer {
 public:
  void call(const c10::OperatorHandle& op, torch::jit::Stack* stack) override {
    const size_t arity = op.schema().arguments().size();
    const torch::jit::Stack arguments(stack->end() - static_cast<std::ptrdiff_t>(arity), stack->end());
    std::vector<std::tuple<Position, at::Tensor, uint64_t>> before;
    for_each_tensor(arguments.data(), arity, [&](Position position, const at::Tensor& tensor) {
      before.emplace_back(position, storage_bytes(tensor.storage()), 0);
    });
    for (auto& [position, bytes, hash] : before) hash = content_hash(bytes);
    Writes writes{signature_of(op, arguments), {}, false, false};
    const at::Tensor state = generator_state();
    op.callBoxed(stack);
    writes.generator = !at::equal(state, generator_state());
    for (const auto& [position, bytes, hash] : before) {
      const bool declared = declared_write(op, position.index);
      if (!declared && content_hash(bytes) == hash) continue;
      writes.positions.insert(position);
      writes.undeclared = writes.undeclared || !(declared || aliases_declared(op, arguments, position));
    }
    found.push_back(std::move(writes));
    kept_.insert(kept_.end(), arguments.begin(), arguments.end());
    // Results are kept, as in the second run, in which the recording refers to them: autograd adds gradients
    // in place if nothing else refers to them.
    const auto returns = static_cast<std::ptrdiff_t>(op.schema().returns().size());
    kept_.insert(kept_.end(), stack->end() - returns, stack->end());
  }
  std::vector<Writes> found;

 private:
  /// Returns whether the argument shares its storage with an argument that the schema declares as written.
  static bool aliases_declared(const c10::OperatorHandle& op, const torch::jit::Stack& arguments,
                               Position position) {
    const auto storage = get_tensor(arguments, position).storage().unsafeGetStorageImpl();
    bool aliases = false;
    for_each_tensor(arguments.data(), arguments.size(), [&](Position other, const at::Tensor& tensor) {
      aliases =
          aliases || (declared_write(op, other.index) && tensor.storage().unsafeGetStorageImpl() == storage);
    });
    return aliases;
  }
  torch::jit::Stack kept_;
};

std::string difference(const std::vector<Writes>& first, size_t index, const std::string& second) {
  return fmt::format("the model's iterations differ: launch {} was {} in one and {} in the next", index,
                     index < first.size() ? first[index].signature : "none", second);
}

/// The observer of the second run, which keeps each call, and a copy of every storage version that a call is
/// about to overwrite.
class Keeper final : public Observer {
 public:
  explicit Keeper(const std::vector<Writes>& writes) : writes_(writes) {}

  void call(const c10::OperatorHandle& op, torch::jit::Stack* stack) override {
    const size_t index = program_.calls.size();
    const auto arity = static_cast<std::ptrdiff_t>(op.schema().arguments().size());
    RecordedCall kept{
        op, torch::jit::Stack(stack->end() - arity, stack->end()), {}, {}, {}, {}, false, {}, {}, {}};
    kept.signature = signature_of(op, kept.arguments);
    if (varies_.empty() && (index >= writes_.size() || writes_[index].signature != kept.signature))
      varies_ = difference(writes_, index, kept.signature);
    if (!varies_.empty()) {
      op.callBoxed(stack);
      return;
    }
    const Writes& writes = writes_[index];
    kept.undeclared_write = writes.undeclared;
    if (writes.generator) kept.generator_state = generator_state();
    note_reads(kept, writes);
    op.callBoxed(stack);
    const auto returns = static_cast<std::ptrdiff_t>(op.schema().returns().size());
    kept.results = torch::jit::Stack(stack->end() - returns, stack->end());
    note_results(kept);
    program_.calls.push_back(std::move(kept));
  }

  /// Returns the recording: binds arguments to the versions that they read, and adds the last version of each
  /// storage. Throws Error if the two runs differ.
  RecordedProgram finish() {
    if (varies_.empty() && program_.calls.size() != writes_.size())
      varies_ = difference(writes_, program_.calls.size(), "none");
    if (!varies_.empty())
      throw Error(varies_,
                  "kjoule can only measure iterations that repeat: export a model whose operators do not "
                  "depend on its values or on random numbers");
    for (const auto& [storage, count] : writes_of_)
      keep_version(storage, count, storage_bytes(c10::Storage(owner_.at(storage))));
    for (RecordedCall& call : program_.calls) bind(call);
    return std::move(program_);
  }

 private:
  void note_reads(RecordedCall& call, const Writes& writes) {
    std::set<const c10::StorageImpl*> written;
    for_each_tensor(call.arguments.data(), call.arguments.size(),
                    [&](Position position, const at::Tensor& tensor) {
                      const auto* storage = tensor.storage().unsafeGetStorageImpl();
                      const bool writes_it = writes.positions.contains(position);
                      call.reads.push_back(
                          {position, tensor.unsafeGetTensorImpl(), storage, version(storage), writes_it});
                      if (writes_it && written.insert(storage).second) {
                        owner_.try_emplace(storage, tensor.storage());
                        keep_version(storage, version(storage), storage_bytes(tensor.storage()));
                      }
                    });
    for (const auto* storage : written) ++writes_of_[storage];
  }

  void note_results(RecordedCall& call) {
    const bool undefined = call.op.schema().name().find("empty") != std::string::npos;
    for_each_tensor(
        call.results.data(), call.results.size(), [&](Position position, const at::Tensor& tensor) {
          const auto* storage = tensor.storage().unsafeGetStorageImpl();
          call.makes.push_back({position, tensor.unsafeGetTensorImpl(), storage, version(storage), false});
          call.hashes.push_back(undefined ? 0 : content_hash(tensor));
        });
    for (const TensorUse& use : call.reads)
      if (use.written) call.hashes.push_back(content_hash(get_tensor(call.arguments, use.position)));
    call.detail = describe_call(call.op, call.arguments, call.results, ids_);
    for (const TensorUse& use : call.reads)
      if (use.written) call.detail["writes"].push_back(ids_.of(use.storage));
    if (call.undeclared_write) call.detail["undeclared_write"] = true;
    if (call.generator_state.defined()) call.detail["generator"] = true;
    if (!open_ranges().empty()) call.detail["ranges"] = open_ranges();
  }

  int version(const c10::StorageImpl* storage) const {
    const auto it = writes_of_.find(storage);
    return it == writes_of_.end() ? 0 : it->second;
  }

  void keep_version(const c10::StorageImpl* storage, int number, const at::Tensor& bytes) {
    program_.versions.insert_or_assign({storage, number}, StorageVersion{bytes.clone(), bytes.clone()});
  }

  void bind(RecordedCall& call) {
    for (const TensorUse& use : call.reads) {
      const auto it = program_.versions.find({use.storage, use.version});
      if (it == program_.versions.end()) continue;
      const at::Tensor original = get_tensor(call.arguments, use.position);
      at::Tensor bound = at::empty({0}, original.options());
      bound.set_(it->second.work.storage(), original.storage_offset(), original.sizes(), original.strides());
      kept_values_.push_back(original);
      set_tensor(call.arguments, use.position, std::move(bound));
    }
  }

  const std::vector<Writes>& writes_;
  /// The first difference between the two runs; empty if there is none. The error is thrown after the run,
  /// because the interpreter changes exceptions that pass through it.
  std::string varies_;
  std::unordered_map<const c10::StorageImpl*, int> writes_of_;
  std::unordered_map<const c10::StorageImpl*, c10::Storage> owner_;
  std::vector<at::Tensor> kept_values_;
  Ids ids_;
  RecordedProgram program_;
};

}  // namespace

RecordedProgram record_program(const std::function<void()>& iteration) {
  WriteFinder finder;
  observe(finder, iteration);
  Keeper keeper(finder.found);
  observe(keeper, iteration);
  return keeper.finish();
}

void run_with_own_arguments(const std::function<void()>& iteration) {
  OwnArguments apart;
  observe(apart, iteration);
}

}  // namespace kjoule::runner

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&kjoule::runner::on_call>());
}
