#pragma once
#include "sampling/configuration.hpp"
#include "sampling/sampling_options.hpp"

namespace kjoule {

// A worker is a process of kjoule that measures samples on one GPU for another process of kjoule, which has
// the queue of samples and writes the files. They exchange messages (device/protocol.hpp) over a socket. The
// worker sends, each in an object with one member:
//
//   {"device": SamplingDevice}    after its start
//   {"ready": null}               it can measure samples
//   {"row": ROW}                  the complete row of a sample
//   {"lost": ROW}                 a sample ended its process of kjoule-torch
//   {"meters": {"meters": [FACTS, ..], "lack": TEXT}}
//   {"note": TEXT}                a warning
//   {"failed": ERROR}             the worker ends because of an error
//
// The queue answers "device" with {"begin": true}, and "ready" with {"tasks": [{"row": ROW, "is_timed":
// BOOL},
// ..]}, which is empty if no sample is left. A ROW without times has only the number and the shape of a
// sample.

/// Measures the samples that the queue at the other end of `socket` assigns, until none is left. Throws Error
/// if the connection is lost. Returns the exit code: 1 if an Error was sent.
int serve_queue(int socket, const SamplingConfiguration& configuration, const SamplingOptions& options);

}  // namespace kjoule
