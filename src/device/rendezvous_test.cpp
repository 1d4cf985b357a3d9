#include "device/rendezvous.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <future>

#include "device/protocol.hpp"
#include "device/serve.hpp"
#include "simulated/device.hpp"

namespace kjoule {
namespace {

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
    end_ = std::async(std::launch::async, [this] {
      return service_.run([] { return std::make_unique<SimulatedDevice>(SimulatedSpec{}); });
    });
  }
  Service& service() { return service_; }
  ServiceEnd end() { return end_.get(); }

 private:
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
  EXPECT_EQ(read_fields<DeviceInfo>(meeting->answer().at("result"), "info").description["kind"], "simulated");
  early.gets_its_device();
  EXPECT_EQ(early.end(), ServiceEnd::refused);
  Visitor late(*meeting);
  meeting->await({}, -1);
  late.gets_its_device();
  EXPECT_EQ(late.end(), ServiceEnd::refused);
  send_message(meeting->measured()->socket, {{"op", "quit"}});
  EXPECT_EQ(ready.end(), ServiceEnd::quit);
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
