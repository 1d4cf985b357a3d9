#include "nccl/collective_rank.hpp"

#include <fmt/format.h>

#include "base/bug_remedy.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"

namespace kjoule::nccl {

namespace {

DataType data_type(const std::string& precision) {
  if (precision == "fp32") return DataType::float32;
  return precision == "bf16" ? DataType::bfloat16 : DataType::float16;
}

/// An event of the driver, which records a time in a stream.
class TimedEvent {
 public:
  explicit TimedEvent(const RankDriver& driver) : driver_(driver) {
    driver_.check(driver_.cuEventCreate(&event_, CU_EVENT_DEFAULT), "no event could be created");
  }
  ~TimedEvent() { driver_.cuEventDestroy(event_); }
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;

  void record() const {
    driver_.check(driver_.cuEventRecord(event_, driver_.stream()), "an event could not be recorded");
  }
  /// Returns the time since another event, us.
  double us_since(const TimedEvent& earlier) const {
    float ms = 0;
    driver_.check(driver_.cuEventElapsedTime(&ms, earlier.event_, event_), "no time could be read");
    return 1e3 * static_cast<double>(ms);
  }

 private:
  const RankDriver& driver_;
  CUevent event_ = nullptr;
};

}  // namespace

RankGreeting CollectiveRank::greeting() const {
  return {driver_.gpu_name(), driver_.gpu_uuid(), nccl_.version(), nccl_.file(), nccl_.is_stand_in()};
}

std::string CollectiveRank::make_id() const {
  UniqueId id{};
  nccl_.check(nccl_.get_unique_id(&id), "no communicator could be named");
  std::string digits;
  for (const char byte : id.bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

void CollectiveRank::join(const std::string& id) {
  UniqueId unique{};
  if (id.size() != 2 * sizeof unique.bytes) throw Error("kjoule sent a damaged id of NCCL", kBugRemedy);
  for (size_t i = 0; i < sizeof unique.bytes; ++i)
    unique.bytes[i] = static_cast<char>(std::stoi(id.substr(2 * i, 2), nullptr, 16));
  nccl_.check(nccl_.comm_init_rank(&communicator_, place_.ranks, unique, place_.rank),
              "the communicator could not be made");
}

void CollectiveRank::prepare(const CollectiveRequest& request) {
  repeated_.reset();
  buffers_.reset();
  request_ = request;
  buffers_ = std::make_unique<CollectiveBuffers>(driver_, place_, request);
  buffers_->fill();
}

void CollectiveRank::check_prepared() const {
  if (communicator_ == nullptr || !buffers_)
    throw Error("kjoule measured a collective that it had not prepared", kBugRemedy);
}

std::unique_ptr<CollectiveBatch> CollectiveRank::batch(Reduction reduction, int collectives) const {
  const auto issue_one = [this, reduction] { issue(reduction); };
  if (request_.graph) return std::make_unique<GraphBatch>(collectives, issue_one, driver_);
  return std::make_unique<LaunchedBatch>(collectives, issue_one);
}

CollectiveRepeats CollectiveRank::repeat(int64_t times) {
  check_prepared();
  if (!repeated_) {
    buffers_->fill_at_random();
    repeated_ = batch(Reduction::max, request_.collectives);
  }
  const int64_t each = repeated_->collectives();
  CollectiveRepeats repeats;
  repeats.begin_ns = SteadyClock().now_ns();
  const double us = timed_us(*repeated_, (times + each - 1) / each);
  repeats.seconds = 1e-6 * us * static_cast<double>(times);
  repeats.end_ns = SteadyClock().now_ns();
  return repeats;
}

CollectivePasses CollectiveRank::measure() {
  check_prepared();
  check_one();
  for (int i = 0; i < request_.untimed; ++i) issue(Reduction::sum);
  const auto sums = batch(Reduction::sum, request_.collectives);
  CollectivePasses passes;
  for (int pass = 0; pass < request_.passes; ++pass) passes.us.push_back(timed_us(*sums, 1));
  return passes;
}

void CollectiveRank::check_one() const {
  const auto one = batch(Reduction::sum, 1);
  one->launch();
  synchronize();
  buffers_->check_result();
}

double CollectiveRank::timed_us(CollectiveBatch& batch, int64_t launches) const {
  const TimedEvent begin(driver_), end(driver_);
  batch.lead();
  begin.record();
  for (int64_t i = 0; i < launches; ++i) batch.launch();
  end.record();
  synchronize();
  return end.us_since(begin) / static_cast<double>(launches * batch.collectives());
}

void CollectiveRank::synchronize() const {
  driver_.check(driver_.cuStreamSynchronize(driver_.stream()), request_.operation + " failed on the GPU");
}

void CollectiveRank::issue(Reduction reduction) const {
  const auto count = static_cast<size_t>(request_.part);
  const DataType type = data_type(request_.precision);
  const void* sent = buffers_->sent();
  void* received = buffers_->received();
  const CUstream stream = driver_.stream();
  Result result = kSuccess;
  switch (collective_operation(request_.operation).kind) {
    case CollectiveKind::all_reduce:
      result = nccl_.all_reduce(sent, received, count, type, reduction, communicator_, stream);
      break;
    case CollectiveKind::all_gather:
      result = nccl_.all_gather(sent, received, count, type, communicator_, stream);
      break;
    case CollectiveKind::reduce_scatter:
      result = nccl_.reduce_scatter(sent, received, count, type, reduction, communicator_, stream);
      break;
    case CollectiveKind::broadcast:
      result = nccl_.broadcast(sent, received, count, type, 0, communicator_, stream);
      break;
    case CollectiveKind::all_to_all:
    case CollectiveKind::send_receive:
      issue_messages();
      break;
  }
  nccl_.check(result, request_.operation + " could not be launched");
}

void CollectiveRank::issue_messages() const {
  const auto count = static_cast<size_t>(request_.part);
  const DataType type = data_type(request_.precision);
  const auto send = [&](int part, int rank) {
    nccl_.check(nccl_.send(buffers_->sent(part), count, type, rank, communicator_, driver_.stream()),
                "a message could not be sent");
  };
  const auto receive = [&](int part, int rank) {
    nccl_.check(nccl_.receive(buffers_->received(part), count, type, rank, communicator_, driver_.stream()),
                "a message could not be received");
  };
  const bool is_exchange = collective_operation(request_.operation).kind == CollectiveKind::all_to_all;
  nccl_.check(nccl_.group_start(), "a group could not be begun");
  for (int rank = 0; is_exchange && rank < place_.ranks; ++rank) {
    send(rank, rank);
    receive(rank, rank);
  }
  if (!is_exchange && place_.rank == 0) send(0, place_.ranks - 1);
  if (!is_exchange && place_.rank == place_.ranks - 1) receive(0, 0);
  nccl_.check(nccl_.group_end(), "a group could not be launched");
}

}  // namespace kjoule::nccl
