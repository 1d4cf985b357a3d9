#pragma once
// The messages between kjoule and kjoule-nccl. Each request has a number and the name of a step; its reply
// has the same number, and a result or an error.

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_fields.hpp"

namespace kjoule {

/// The place of a process in the group of ranks.
struct RankOfGroup {
  int rank = 0, ranks = 1;
  int gpu = 0;  ///< number of its GPU, as CUDA numbers them
};
template <class Fields>
void describe(Fields& fields, RankOfGroup& place) {
  fields("rank", place.rank);
  fields("ranks", place.ranks);
  fields("gpu", place.gpu);
}

/// The reply to "greet".
struct RankGreeting {
  std::string gpu_name;   ///< "NVIDIA H200"
  std::string gpu_uuid;   ///< "GPU-..."; "MIG-..." for a part of a GPU
  int nccl = 0;           ///< version of NCCL as a number: 22703
  std::string library;    ///< file of NCCL that was loaded
  bool stand_in = false;  ///< whether this is the stand-in of kjoule's tests
};
template <class Fields>
void describe(Fields& fields, RankGreeting& greeting) {
  fields("gpu_name", greeting.gpu_name);
  fields("gpu_uuid", greeting.gpu_uuid);
  fields("nccl", greeting.nccl);
  fields("library", greeting.library);
  fields("stand_in", greeting.stand_in);
}

/// The collective of "prepare", which "measure" and "repeat" repeat.
struct CollectiveRequest {
  std::string operation;  ///< name of a CollectiveOperation
  std::string precision;
  int64_t part = 0;  ///< elements that NCCL is passed
  bool in_place = true;
  int untimed = 0;      ///< collectives before the first pass
  int passes = 0;       ///< timed passes
  int collectives = 0;  ///< collectives of a pass
  bool graph = false;   ///< whether the collectives of a pass are a CUDA graph
};
template <class Fields>
void describe(Fields& fields, CollectiveRequest& request) {
  fields("operation", request.operation);
  fields("precision", request.precision);
  fields("part", request.part);
  fields("in_place", request.in_place);
  fields("untimed", request.untimed);
  fields("passes", request.passes);
  fields("collectives", request.collectives);
  fields("graph", request.graph);
}

/// The reply to "measure".
struct CollectivePasses {
  std::vector<double> us;  ///< time of a collective in each pass, on this rank
};
template <class Fields>
void describe(Fields& fields, CollectivePasses& passes) {
  fields("us", passes.us);
}

/// The reply to "repeat", which repeats the prepared collective as often as the request says ("times").
struct CollectiveRepeats {
  double seconds = 0;                ///< time of all repeats together on the rank's GPU
  int64_t begin_ns = 0, end_ns = 0;  ///< on the steady clock of the rank's machine
};
template <class Fields>
void describe(Fields& fields, CollectiveRepeats& repeats) {
  fields("seconds", repeats.seconds);
  fields("begin_ns", repeats.begin_ns);
  fields("end_ns", repeats.end_ns);
}

}  // namespace kjoule
