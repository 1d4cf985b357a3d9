#include "entry.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>

#include "deferred.hpp"
#include "devices.hpp"
#include "hooks.hpp"
#include "objects.hpp"

namespace stand_in {

namespace {

std::mutex driver;
std::atomic<CUresult> lost{CUDA_SUCCESS};
std::atomic<uint32_t> correlations{0};
thread_local uint32_t correlation = 0;
thread_local double wait_ns = 0;
thread_local CUcontext current = nullptr;

void tell(const Entry& entry, CUpti_ApiCallbackSite site, uint32_t number, uint64_t* correlation_data,
          CUresult* result) {
  const auto call = hooks().call.load();
  if (call == nullptr) return;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = entry.name;
  data.functionParams = entry.parameters;
  data.functionReturnValue = result;
  data.context = current;
  data.contextUid = current == nullptr ? 0 : current->id;
  data.correlationData = correlation_data;
  data.correlationId = number;
  call(entry.id, data);
}

void sleep_until(double ns) {
  for (double left = ns - static_cast<double>(now_ns()); left > 0;
       left = ns - static_cast<double>(now_ns())) {
    const timespec pause{static_cast<time_t>(left / 1e9), static_cast<long>(left) % 1'000'000'000};
    nanosleep(&pause, nullptr);
  }
}

CUresult made(const Entry& entry, uint32_t number, const std::function<CUresult()>& body) {
  if (!entry.always && lost != CUDA_SUCCESS) return lost;
  const std::lock_guard lock(driver);
  correlation = number;
  wait_ns = 0;
  do_deferred_before(entry.name);
  if (!entry.always && lost != CUDA_SUCCESS) return lost;
  return body();
}

}  // namespace

Hooks& hooks() {
  static Hooks all;
  return all;
}

CUresult reported(const Entry& entry, const std::function<CUresult()>& body) {
  const uint32_t number = ++correlations;
  uint64_t correlation_data = 0;
  CUresult result = CUDA_SUCCESS;
  tell(entry, CUPTI_API_ENTER, number, &correlation_data, &result);
  result = made(entry, number, body);
  if (wait_ns > 0) sleep_until(wait_ns);
  tell(entry, CUPTI_API_EXIT, number, &correlation_data, &result);
  return result;
}

void wait_until(double ns) {
  wait_ns = ns;
}

uint32_t current_correlation() {
  return correlation;
}

void set_current_correlation(uint32_t number) {
  correlation = number;
}

void lose_context(const char* why) {
  std::fprintf(stderr, "stand-in for the CUDA driver: illegal address: %s\n", why);
  lost = CUDA_ERROR_ILLEGAL_ADDRESS;
}

bool has_lost_context() {
  return lost != CUDA_SUCCESS;
}

CUcontext current_context() {
  return current;
}

int current_device() {
  return current == nullptr ? 0 : current->device;
}

void set_current_context(CUcontext context) {
  current = context;
}

CUcontext make_context(int device) {
  static uint32_t last = 0;
  return new CUctx_st{++last, device};  // never destroyed: threads may use it until the process ends
}

CUcontext primary_context(int device) {
  static std::array<CUcontext, kMostDevices> primary{};
  CUcontext& context = primary.at(static_cast<size_t>(device));
  if (context == nullptr) context = make_context(device);
  return context;
}

OutsideDriver::OutsideDriver() {
  driver.unlock();
}

OutsideDriver::~OutsideDriver() {
  driver.lock();
}

}  // namespace stand_in
