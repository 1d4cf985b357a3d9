#include "driver_calls.hpp"

#include <utility>

#include "facts.hpp"

namespace facts {

namespace {

void need_cupti(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  tell(call, text != nullptr ? text : "unknown error " + std::to_string(result));
  end_case();
}

}  // namespace

Callbacks::Callbacks(std::initializer_list<CUpti_CallbackDomain> domains, Handler handler)
    : handler_(std::move(handler)) {
  need_cupti(cuptiSubscribe(&subscriber_, deliver, this), "cuptiSubscribe");
  for (const CUpti_CallbackDomain domain : domains)
    need_cupti(cuptiEnableDomain(1, subscriber_, domain), "cuptiEnableDomain");
}

Callbacks::~Callbacks() {
  cuptiUnsubscribe(subscriber_);
}

void CUPTIAPI Callbacks::deliver(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void* data) {
  thread_local bool in_handler = false;
  if (in_handler) return;
  in_handler = true;
  static_cast<Callbacks*>(self)->handler_(domain, id, data);
  in_handler = false;
}

Callbacks::Handler for_driver_calls(CallHandler handler) {
  return [handler = std::move(handler)](CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API) handler(id, *static_cast<const CUpti_CallbackData*>(data));
  };
}

std::string call_name(CUpti_CallbackId id) {
  const char* name = nullptr;
  const CUptiResult result = cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name);
  return (result == CUPTI_SUCCESS && name != nullptr ? name : "unnamed") + std::string(" (") +
         std::to_string(id) + ")";
}

void CallList::add(const std::string& call) {
  if (!entries_.empty() && entries_.back().call == call)
    ++entries_.back().count;
  else
    entries_.push_back({call, 1});
}

std::string CallList::text() const {
  std::string text;
  for (const Entry& entry : entries_) {
    if (!text.empty()) text += ", ";
    text += entry.call;
    if (entry.count > 1) text += " x " + std::to_string(entry.count);
  }
  return text.empty() ? "none" : text;
}

CallRecorder::CallRecorder()
    : callbacks_({CUPTI_CB_DOMAIN_DRIVER_API},
                 for_driver_calls([this](CUpti_CallbackId id, const CUpti_CallbackData& data) {
                   if (calls_ != nullptr && data.callbackSite == CUPTI_API_ENTER) calls_->add(call_name(id));
                 })) {}

void CallRecorder::tell_calls(const std::string& what, const std::function<cudaError_t()>& work) {
  CallList calls;
  calls_ = &calls;
  const cudaError_t result = work();
  calls_ = nullptr;
  tell(what, calls.text() + (result == cudaSuccess ? "" : "; it returns " + name_of(result)));
}

}  // namespace facts
