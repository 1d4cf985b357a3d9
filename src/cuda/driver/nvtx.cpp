#include "cuda/driver/nvtx.hpp"

#include <atomic>
#include <deque>
#include <unordered_map>
#include <utility>

#include "base/process/mutex.hpp"
#include "cuda/driver/collective_messages.hpp"

namespace kjoule::cuda {

namespace {

// Threads and static objects of the program may use ranges until the process ends, so nothing here is ever
// destroyed.

/// The current listener; null if there is none.
std::atomic<const RangeListener*> listener = nullptr;

void tell_begin(std::string_view name) {
  if (const RangeListener* to = listener) to->begins(name);
}
void tell_end(std::string_view name) {
  if (const RangeListener* to = listener) to->ends(name);
}

/// The names of the thread's open push/pop ranges; null if there are none.
thread_local std::vector<std::string>* pushed = nullptr;

/// The names of started ranges by their ids, and the registered names.
struct Names {
  Mutex mutex;
  std::unordered_map<nvtxRangeId_t, std::string> started KJOULE_GUARDED_BY(mutex);
  /// String handles are the addresses of its elements.
  std::deque<std::string> registered KJOULE_GUARDED_BY(mutex);
};

Names* names = new Names;

int push(std::string_view name) {
  if (pushed == nullptr) pushed = new std::vector<std::string>;
  pushed->emplace_back(name);
  tell_begin(name);
  return static_cast<int>(pushed->size()) - 1;
}

int NVTX_API pop() {
  if (pushed == nullptr) return -1;
  const std::string name = std::move(pushed->back());
  pushed->pop_back();
  const size_t left = pushed->size();
  if (left == 0) delete std::exchange(pushed, nullptr);
  tell_end(name);
  end_message_range(name);
  return static_cast<int>(left);
}

nvtxRangeId_t start(std::string_view name) {
  static std::atomic<nvtxRangeId_t> last{0};
  const nvtxRangeId_t id = ++last;
  {
    const MutexLock lock(names->mutex);
    names->started.emplace(id, name);
  }
  tell_begin(name);
  return id;
}

void NVTX_API end(nvtxRangeId_t id) {
  std::string name;
  {
    const MutexLock lock(names->mutex);
    auto ended = names->started.extract(id);
    if (ended.empty()) return;
    name = std::move(ended.mapped());
  }
  tell_end(name);
}

std::string_view text_of(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}

/// Returns the name of a range. It is empty for names in wide characters, because kjoule's options cannot
/// specify such names.
std::string_view name_of(const nvtxEventAttributes_t* attributes) {
  if (attributes == nullptr) return {};
  if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII) return text_of(attributes->message.ascii);
  if (attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED && attributes->message.registered != nullptr)
    return *reinterpret_cast<const std::string*>(attributes->message.registered);
  return {};
}

int NVTX_API push_text(const char* text) {
  return push(text_of(text));
}
int NVTX_API push_wide_text(const wchar_t*) {
  return push({});
}
int NVTX_API push_attributes(const nvtxEventAttributes_t* attributes) {
  return push(name_of(attributes));
}
nvtxRangeId_t NVTX_API start_text(const char* text) {
  return start(text_of(text));
}
nvtxRangeId_t NVTX_API start_attributes(const nvtxEventAttributes_t* attributes) {
  return start(name_of(attributes));
}
int NVTX_API push_in_domain(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  const std::string_view name = name_of(attributes);
  if (attributes != nullptr) begin_message_range(name, *attributes);
  return push(name);
}
int NVTX_API pop_in_domain(nvtxDomainHandle_t) {
  return pop();
}
nvtxRangeId_t NVTX_API start_in_domain(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  return start(name_of(attributes));
}
void NVTX_API end_in_domain(nvtxDomainHandle_t, nvtxRangeId_t id) {
  end(id);
}
nvtxStringHandle_t NVTX_API register_text(nvtxDomainHandle_t, const char* text) {
  const MutexLock lock(names->mutex);
  return reinterpret_cast<nvtxStringHandle_t>(&names->registered.emplace_back(text_of(text)));
}

class NvtxModule {
 public:
  NvtxModule(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
    if (callbacks.GetModuleFunctionTable(module, &functions_, &count_) == 0) count_ = 0;
  }
  template <typename Function>
  void set(unsigned id, Function* function) {
    if (id < count_ && functions_[id] != nullptr)
      *functions_[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  }

 private:
  NvtxFunctionTable functions_ = nullptr;
  unsigned count_ = 0;
};

}  // namespace

void listen_to_ranges(RangeListener given) {
  listener = new RangeListener(std::move(given));
}

void forget_ranges() {
  listener = nullptr;
  names = new Names;  // the old lock may be held by a thread that does not exist in this process
}

void hook_ranges(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr) return;
  NvtxModule core(*callbacks, NVTX_CB_MODULE_CORE);
  core.set(NVTX_CBID_CORE_RangePushA, push_text);
  core.set(NVTX_CBID_CORE_RangePushW, push_wide_text);  // its end is the same function as that of the others
  core.set(NVTX_CBID_CORE_RangePushEx, push_attributes);
  core.set(NVTX_CBID_CORE_RangePop, pop);
  core.set(NVTX_CBID_CORE_RangeStartA, start_text);
  core.set(NVTX_CBID_CORE_RangeStartEx, start_attributes);
  core.set(NVTX_CBID_CORE_RangeEnd, end);
  NvtxModule core2(*callbacks, NVTX_CB_MODULE_CORE2);
  core2.set(NVTX_CBID_CORE2_DomainRangePushEx, push_in_domain);
  core2.set(NVTX_CBID_CORE2_DomainRangePop, pop_in_domain);
  core2.set(NVTX_CBID_CORE2_DomainRangeStartEx, start_in_domain);
  core2.set(NVTX_CBID_CORE2_DomainRangeEnd, end_in_domain);
  core2.set(NVTX_CBID_CORE2_DomainRegisterStringA, register_text);
}

std::vector<std::string> ranges_of_this_thread() {
  return pushed == nullptr ? std::vector<std::string>() : *pushed;
}

}  // namespace kjoule::cuda
