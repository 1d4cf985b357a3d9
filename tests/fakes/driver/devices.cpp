#include "devices.hpp"

#include <algorithm>
#include <cstdlib>

#include "objects.hpp"

namespace stand_in {

namespace {

thread_local CUcontext running = nullptr;

int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

int devices() {
  static const int count = std::clamp(number("FAKE_CUDA_DEVICES", 1), 1, kMostDevices);
  return count;
}

int number_in_machine(int device) {
  static const int first = number("FAKE_CUDA_DEVICE", 0);
  return first + device;
}

Running::Running(CUcontext context) : before_(running) {
  running = context;
}

Running::~Running() {
  running = before_;
}

CUcontext Running::context() {
  return running;
}

int Running::number() {
  return running == nullptr ? 0 : running->device;
}

int Running::device() {
  return number_in_machine(number());
}

}  // namespace stand_in
