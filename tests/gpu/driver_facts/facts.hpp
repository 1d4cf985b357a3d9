// What all programs in this folder share: cases that are chosen on the command line, and answers on standard
// output.
#pragma once
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace facts {

/// One case of a question. It runs in a process of its own, because a fault ends all use of the GPU in it.
struct Case {
  std::string name;
  std::function<void()> run;
};

/// The main() of a program. Without arguments it prints the names of the cases; with a name it runs that
/// case, and whatever stops it early is told as an answer.
int answer(int count, char** arguments, const std::vector<Case>& cases);

/// Prints one answer at once, so that it is kept when the process dies.
void tell(const std::string& what, const std::string& answer);

/// Ends the case without another answer, because the last one says why nothing more can be asked.
[[noreturn]] void end_case();

/// Makes the primary context of device 0 current, which is the one that programs of the runtime API use.
void use_device();

/// Ends the case with an answer that names the call, if it failed.
void need(CUresult result, const char* call);
void need(cudaError_t result, const char* call);
#define NEED(call) ::facts::need((call), #call)

/// Returns the name of the result, for example "CUDA_ERROR_INVALID_VALUE".
std::string name_of(CUresult result);
std::string name_of(cudaError_t result);

std::string hexadecimal(CUdeviceptr address);

/// Returns "1 MiB", for example.
std::string size_name(size_t bytes);

/// Returns what the driver says about the allocation that contains the address.
std::string range_of(CUdeviceptr address);

}  // namespace facts
