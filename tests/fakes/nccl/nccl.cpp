// The stand-in for NCCL. Each operation is a kernel of the stand-in for the driver. All operations are made
// of messages between pairs of ranks, in pieces: a rank writes its pieces for the other ranks, then reads
// theirs.

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "exchange.hpp"
#include "nccl/nccl_types.hpp"
#include "outside_kernel.hpp"

using namespace kjoule::nccl;

#define NCCL extern "C" __attribute__((visibility("default")))

namespace stand_in {
namespace {

constexpr Result kSystemError = 2, kInvalidArgument = 4;
constexpr int kVersion = 22703;

/// Returns the number that a variable "R:NUMBER" states for this process, which is rank R; -1 if it states
/// none.
long number_of_this_rank(const char* variable) {
  const char* text = std::getenv(variable);
  const char* rank = std::getenv("RANK");
  if (text == nullptr || rank == nullptr) return -1;
  const char* colon = std::strchr(text, ':');
  return colon != nullptr && std::atoi(text) == std::atoi(rank) ? std::atol(colon + 1) : -1;
}

size_t bytes_of(DataType type) {
  return type == DataType::float32 ? 4 : 2;
}

float half_to_float(uint16_t half) {
  if (half == 0) return 0;
  return std::bit_cast<float>(((half >> 10U) - 15U + 127U) << 23U | (half & 0x3FFU) << 13U);
}
uint16_t float_to_half(float number) {
  const auto bits = std::bit_cast<uint32_t>(number);
  return number == 0 ? uint16_t{0}
                     : static_cast<uint16_t>(((bits >> 23U) - 127U + 15U) << 10U | (bits >> 13U & 0x3FFU));
}

/// Adds elements, which are positive and not too large for their type.
void add_elements(std::byte* sum, const std::byte* more, size_t bytes, DataType type) {
  for (size_t at = 0; at < bytes; at += bytes_of(type)) {
    if (type == DataType::float32) {
      float a = 0, b = 0;
      std::memcpy(&a, sum + at, 4);
      std::memcpy(&b, more + at, 4);
      a += b;
      std::memcpy(sum + at, &a, 4);
      continue;
    }
    uint16_t a = 0, b = 0;
    std::memcpy(&a, sum + at, 2);
    std::memcpy(&b, more + at, 2);
    const auto widen = [&](uint16_t bits) {
      return type == DataType::float16 ? half_to_float(bits) : std::bit_cast<float>(uint32_t{bits} << 16U);
    };
    const float both = widen(a) + widen(b);
    a = type == DataType::float16 ? float_to_half(both)
                                  : static_cast<uint16_t>(std::bit_cast<uint32_t>(both) >> 16U);
    std::memcpy(sum + at, &a, 2);
  }
}

}  // namespace
}  // namespace stand_in

/// A communicator: the exchange of its ranks, and the number of operations so far.
struct kjoule::nccl::Communicator {
  stand_in::Exchange exchange;
  CUfunction kernel = nullptr;
  long operations = 0;
};

namespace stand_in {
namespace {

/// An operation: what this rank sends to each rank, and where it puts what each rank sends.
class Operation : public OutsideKernel {
 public:
  Operation(Communicator& communicator, uint64_t signature, size_t bytes, DataType type)
      : communicator_(communicator),
        signature_(signature),
        bytes_(bytes),
        type_(type),
        sent_(kMostNcclRanks),
        received_(kMostNcclRanks) {
    run = [](OutsideKernel& kernel, double begin_ns) {
      auto& operation = static_cast<Operation&>(kernel);
      const double until_ns = operation.exchange(begin_ns);
      if (!operation.is_in_graph) delete &operation;
      return until_ns;
    };
  }
  void send(int rank, const std::byte* from) { sent_[static_cast<size_t>(rank)] = from; }
  /// Without a sum, what each rank sends goes to a place of its own.
  void receive(int rank, std::byte* to) { received_[static_cast<size_t>(rank)] = to; }
  void receive_sum(std::byte* to) { sum_ = to; }
  void make_wrong() { is_wrong_ = true; }

  bool is_in_graph = false;  ///< whether it can run again

 private:
  double exchange(double begin_ns) {
    double until_ns = begin_ns;
    for (size_t done = 0; done < bytes_; done += kPieceBytes) {
      const size_t piece = std::min(kPieceBytes, bytes_ - done);
      for (int to = 0; to < communicator_.exchange.ranks(); ++to)
        if (const std::byte* from = sent_[static_cast<size_t>(to)])
          communicator_.exchange.write(to, from + done, piece, signature_, begin_ns);
      std::vector<std::byte> sum(piece);
      for (int from = 0; from < communicator_.exchange.ranks(); ++from) {
        std::byte* to = received_[static_cast<size_t>(from)];
        if (to == nullptr && sum_ == nullptr) continue;
        const auto got = communicator_.exchange.read(from);
        if (got.signature != signature_) {
          std::fprintf(stderr, "stand-in for NCCL: ranks %d and %d launched different operations\n", from,
                       communicator_.exchange.rank());
          return -1;
        }
        until_ns = std::max(until_ns, got.begin_ns);
        if (to != nullptr)
          std::memcpy(to + done, got.data, piece);
        else
          add_elements(sum.data(), got.data, piece, type_);
        communicator_.exchange.release(from);
      }
      if (sum_ != nullptr) std::memcpy(sum_ + done, sum.data(), piece);
    }
    if (is_wrong_ && sum_ != nullptr) sum_[0] ^= std::byte{1};
    return until_ns;
  }

  Communicator& communicator_;
  uint64_t signature_;
  size_t bytes_;  ///< of each message
  DataType type_;
  std::vector<const std::byte*> sent_;
  std::vector<std::byte*> received_;
  std::byte* sum_ = nullptr;
  bool is_wrong_ = false;
};

enum class Name : uint64_t { all_reduce = 1, all_gather, reduce_scatter, broadcast, messages };

std::unique_ptr<Operation> make_operation(Name name, Communicator& communicator, size_t count,
                                          DataType type) {
  ++communicator.operations;
  if (number_of_this_rank("FAKE_NCCL_DIES") == communicator.operations) raise(SIGKILL);
  while (number_of_this_rank("FAKE_NCCL_STALLS") == communicator.operations) pause();
  if (number_of_this_rank("FAKE_NCCL_SWAPS") == communicator.operations) --count;
  const uint64_t signature = count * 64 + static_cast<uint64_t>(type) * 8 + static_cast<uint64_t>(name);
  auto operation = std::make_unique<Operation>(communicator, signature, count * bytes_of(type), type);
  if (number_of_this_rank("FAKE_NCCL_WRONG") == communicator.operations) operation->make_wrong();
  return operation;
}

/// Launches a kernel that reads and writes so many bytes. The operation is deleted when it has run, but never
/// if it was captured.
Result launch(std::unique_ptr<Operation> operation, Communicator& communicator, const void* read,
              size_t read_bytes, void* written, size_t written_bytes, CUstream stream) {
  CUstreamCaptureStatus capture{};
  cuStreamIsCapturing(stream, &capture);
  operation->is_in_graph = capture == CU_STREAM_CAPTURE_STATUS_ACTIVE;
  operation->read = read;
  operation->read_bytes = read_bytes;
  operation->written = written;
  operation->written_bytes = written_bytes;
  OutsideKernel* kernel = operation.release();
  void* arguments[] = {&kernel};
  return cuLaunchKernel(communicator.kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr) == CUDA_SUCCESS
             ? kSuccess
             : kSystemError;
}

/// A message of a group that has begun.
struct GroupMessage {
  const std::byte* sent;
  std::byte* received;
  size_t count;
  DataType type;
  int peer;
  Communicator* communicator;
  CUstream stream;
};
std::vector<GroupMessage>& group() {
  static std::vector<GroupMessage> messages;
  return messages;
}

}  // namespace
}  // namespace stand_in

using namespace stand_in;

/// kjoule-nccl recognises the stand-in by this function, so that its times are labelled.
NCCL void kjoule_stand_in_for_nccl() {}

NCCL Result ncclGetVersion(int* version) {
  if (const long ms = number_of_this_rank("FAKE_NCCL_LATE"); ms > 0) usleep(static_cast<unsigned>(ms) * 1000);
  const long own = number_of_this_rank("FAKE_NCCL_VERSION");
  *version = own > 0 ? static_cast<int>(own) : kVersion;
  return kSuccess;
}

NCCL const char* ncclGetErrorString(Result result) {
  return result == kInvalidArgument ? "invalid argument" : "unhandled system error";
}

NCCL Result ncclGetUniqueId(UniqueId* id) {
  while (number_of_this_rank("FAKE_NCCL_NAMELESS") == 1) pause();
  std::snprintf(id->bytes, sizeof id->bytes, "/kjoule-nccl-stand-in-%d", getpid());
  return kSuccess;
}

NCCL Result ncclCommInitRank(CommunicatorHandle* communicator, int ranks, UniqueId id, int rank) {
  if (ranks > kMostNcclRanks) return kInvalidArgument;
  CUmodule module = nullptr;
  auto made = std::make_unique<Communicator>(Communicator{Exchange(id.bytes, rank, ranks)});
  if (cuModuleLoadData(&module, "any") != CUDA_SUCCESS ||
      cuModuleGetFunction(&made->kernel, module, kOutsideKernel) != CUDA_SUCCESS)
    return kSystemError;
  *communicator = made.release();
  return kSuccess;
}

NCCL Result ncclAllReduce(const void* sent, void* received, size_t count, DataType type, Reduction,
                          CommunicatorHandle communicator, CUstream stream) {
  auto operation = make_operation(Name::all_reduce, *communicator, count, type);
  for (int rank = 0; rank < communicator->exchange.ranks(); ++rank)
    operation->send(rank, static_cast<const std::byte*>(sent));
  operation->receive_sum(static_cast<std::byte*>(received));
  const size_t bytes = count * bytes_of(type);
  return launch(std::move(operation), *communicator, sent, bytes, received, bytes, stream);
}

NCCL Result ncclAllGather(const void* sent, void* received, size_t count, DataType type,
                          CommunicatorHandle communicator, CUstream stream) {
  auto operation = make_operation(Name::all_gather, *communicator, count, type);
  const size_t bytes = count * bytes_of(type);
  const auto ranks = static_cast<size_t>(communicator->exchange.ranks());
  for (size_t rank = 0; rank < ranks; ++rank) {
    operation->send(static_cast<int>(rank), static_cast<const std::byte*>(sent));
    operation->receive(static_cast<int>(rank), static_cast<std::byte*>(received) + rank * bytes);
  }
  return launch(std::move(operation), *communicator, sent, bytes, received, ranks * bytes, stream);
}

NCCL Result ncclReduceScatter(const void* sent, void* received, size_t count, DataType type, Reduction,
                              CommunicatorHandle communicator, CUstream stream) {
  auto operation = make_operation(Name::reduce_scatter, *communicator, count, type);
  const size_t bytes = count * bytes_of(type);
  const auto ranks = static_cast<size_t>(communicator->exchange.ranks());
  for (size_t rank = 0; rank < ranks; ++rank)
    operation->send(static_cast<int>(rank), static_cast<const std::byte*>(sent) + rank * bytes);
  operation->receive_sum(static_cast<std::byte*>(received));
  return launch(std::move(operation), *communicator, sent, ranks * bytes, received, bytes, stream);
}

NCCL Result ncclBroadcast(const void* sent, void* received, size_t count, DataType type, int root,
                          CommunicatorHandle communicator, CUstream stream) {
  auto operation = make_operation(Name::broadcast, *communicator, count, type);
  for (int rank = 0; communicator->exchange.rank() == root && rank < communicator->exchange.ranks(); ++rank)
    operation->send(rank, static_cast<const std::byte*>(sent));
  operation->receive(root, static_cast<std::byte*>(received));
  const size_t bytes = count * bytes_of(type);
  return launch(std::move(operation), *communicator, sent, bytes, received, bytes, stream);
}

NCCL Result ncclSend(const void* sent, size_t count, DataType type, int peer, CommunicatorHandle communicator,
                     CUstream stream) {
  group().push_back({static_cast<const std::byte*>(sent), nullptr, count, type, peer, communicator, stream});
  return kSuccess;
}

NCCL Result ncclRecv(void* received, size_t count, DataType type, int peer, CommunicatorHandle communicator,
                     CUstream stream) {
  group().push_back({nullptr, static_cast<std::byte*>(received), count, type, peer, communicator, stream});
  return kSuccess;
}

NCCL Result ncclGroupStart() {
  group().clear();
  return kSuccess;
}

NCCL Result ncclGroupEnd() {
  if (group().empty()) return kSuccess;
  const GroupMessage first = group().front();
  auto operation = make_operation(Name::messages, *first.communicator, first.count, first.type);
  const std::byte* sent = nullptr;
  std::byte* received = nullptr;
  size_t sends = 0, receives = 0;
  for (const GroupMessage& message : group()) {
    if (message.sent != nullptr) {
      operation->send(message.peer, message.sent);
      if (sends++ == 0) sent = message.sent;
    } else {
      operation->receive(message.peer, message.received);
      if (receives++ == 0) received = message.received;
    }
  }
  const size_t bytes = first.count * bytes_of(first.type);
  return launch(std::move(operation), *first.communicator, sent, sends * bytes, received, receives * bytes,
                first.stream);
}
