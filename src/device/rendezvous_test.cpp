#include "device/rendezvous.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <future>

#include "device/protocol.hpp"
#include "device/serve.hpp"
#include "simulated/device.hpp"

namespace kjoule {
namespace {

/// A device that can only return its DeviceInfo.
class DeviceOfRank final : public Device {
 public:
  DeviceOfRank(const std::string& uuid, const RankFacts& rank) {
    info_.description["uuid"] = uuid;
    info_.rank = rank;
  }
  const DeviceInfo& info() const override { return info_; }
  Recording record() override { throw Error("nothing is recorded"); }
  Verification verify() override { return {}; }
  std::unique_ptr<Track> open(const TrackSpec&) override { return nullptr; }
  void begin_round(int) override {}

 private:
  DeviceInfo info_;
};

/// A stand-in for a process with the injected library, run as a thread. Its device becomes available when the
/// test says so.
class Visitor {
 public:
  explicit Visitor(const Rendezvous& meeting) : socket_(connect_to(meeting.name())), service_(socket_) {}
  ~Visitor() {
    if (end_.valid()) end_.wait();
    leave();
  }
  void leave() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }
  void gets_its_device() {
    answers([] { return std::make_unique<SimulatedDevice>(SimulatedSpec{}); });
  }
  /// Answers as a rank of a program that uses the GPU of this name.
  void gets_gpu(const std::string& uuid, const RankFacts& rank) {
    answers([uuid, rank] { return std::make_unique<DeviceOfRank>(uuid, rank); });
  }
  Service& service() { return service_; }
  ServiceEnd end() { return end_.get(); }

 private:
  void answers(const Service::OpenDevice& open) {
    end_ = std::async(std::launch::async, [this, open] { return service_.run(open); });
  }

  int socket_;
  Service service_;
  std::future<ServiceEnd> end_;
};

void listen(Rendezvous& meeting) {
  while (!meeting.measured() && meeting.await({}, 200)) {
  }
}

TEST(Rendezvous, TheFirstThatAnswersIsChosenAndTheOthersAreRefused) {
  auto meeting = std::make_unique<Rendezvous>();
  Visitor early(*meeting);
  Visitor ready(*meeting);
  listen(*meeting);
  EXPECT_FALSE(meeting->measured());
  EXPECT_TRUE(meeting->has_waiting());
  ready.gets_its_device();
  while (!meeting->measured()) meeting->await({}, -1);
  EXPECT_EQ(read_fields<DeviceInfo>(meeting->measured()->answer.at("result"), "info").description["kind"],
            "simulated");
  early.gets_its_device();
  EXPECT_EQ(early.end(), ServiceEnd::refused);
  Visitor late(*meeting);
  meeting->await({}, -1);
  late.gets_its_device();
  EXPECT_EQ(late.end(), ServiceEnd::refused);
  send_message(meeting->measured()->process.socket, {{"op", "quit"}});
  EXPECT_EQ(ready.end(), ServiceEnd::quit);
}

TEST(Rendezvous, RanksOnDifferentGpusAreAccepted) {
  auto meeting = std::make_unique<Rendezvous>(true);
  Visitor second(*meeting), first(*meeting), same(*meeting), late(*meeting);
  second.gets_gpu("gpu-1", {1, 2, 1, 2, {}, {}});
  while (meeting->accepted().empty()) meeting->await({}, -1);
  EXPECT_EQ(meeting->measured(), nullptr) << "rank 0 comes later";
  first.gets_gpu("gpu-0", {0, 2, 0, 2, {}, {}});
  while (meeting->measured() == nullptr) meeting->await({}, -1);
  EXPECT_EQ(read_fields<DeviceInfo>(meeting->measured()->answer.at("result"), "info").rank.rank, 0);
  EXPECT_EQ(meeting->accepted().size(), 2U);
  same.gets_gpu("gpu-0", {});
  meeting->await({}, -1);
  EXPECT_EQ(same.end(), ServiceEnd::refused) << "one process for each GPU";
  meeting->accept_no_more();
  late.gets_gpu("gpu-2", {2, 3, 2, 3, {}, {}});
  meeting->await({}, -1);
  EXPECT_EQ(late.end(), ServiceEnd::refused);
  meeting.reset();
  EXPECT_EQ(first.end(), ServiceEnd::closed);
  EXPECT_EQ(second.end(), ServiceEnd::closed);
}

TEST(Rendezvous, TheFirstThatComesIsMeasuredIfRankZeroDoesNotCome) {
  Rendezvous meeting(true);
  EXPECT_FALSE(meeting.measure_first()) << "nobody has answered";
  auto visitor = std::make_unique<Visitor>(meeting);
  visitor->gets_gpu("gpu-3", {3, 4, 3, 4, {}, {}});
  while (meeting.accepted().empty()) meeting.await({}, -1);
  EXPECT_TRUE(meeting.measure_first());
  send_message(meeting.measured()->process.socket, {{"op", "quit"}});
  EXPECT_EQ(visitor->end(), ServiceEnd::quit);
}

TEST(Rendezvous, WhoHangsUpIsTakenForClosed) {
  auto meeting = std::make_unique<Rendezvous>();
  Visitor visitor(*meeting);
  visitor.gets_its_device();
  while (!meeting->measured()) meeting->await({}, -1);
  meeting.reset();
  EXPECT_EQ(visitor.end(), ServiceEnd::closed);
}

TEST(Rendezvous, TheLastWordOfWhoLeftBeforeItWasGreetedIsHeard) {
  Rendezvous meeting;
  Visitor brief(meeting);
  brief.service().report_end("3 launches seen");
  brief.leave();
  listen(meeting);
  EXPECT_EQ(meeting.gone(), 1);
  EXPECT_EQ(meeting.last_report(), "3 launches seen");
}

TEST(Rendezvous, WhoLeavesBeforeItAnswersIsPassedOver) {
  Rendezvous meeting;
  Visitor probe(meeting);
  Visitor ends(meeting);
  listen(meeting);
  probe.leave();
  ends.service().report_end("12 launches");
  ends.gets_its_device();  // its device comes after it has announced its end
  listen(meeting);
  EXPECT_FALSE(meeting.measured());
  EXPECT_FALSE(meeting.has_waiting());
  EXPECT_EQ(meeting.gone(), 2);
  EXPECT_EQ(meeting.last_report(), "12 launches");
}

}  // namespace
}  // namespace kjoule
