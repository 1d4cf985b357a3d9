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
    if (farewell_.valid()) farewell_.wait();
    leave();
  }
  void leave() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }
  void gets_its_device() {
    farewell_ = std::async(std::launch::async, [this] {
      return service_.run([] { return std::make_unique<SimulatedDevice>(SimulatedSpec{}); });
    });
  }
  Service& service() { return service_; }
  Farewell farewell() { return farewell_.get(); }

 private:
  int socket_;
  Service service_;
  std::future<Farewell> farewell_;
};

void listen(Rendezvous& meeting) {
  while (!meeting.chosen() && meeting.await({}, 200)) {
  }
}

TEST(Rendezvous, TheFirstThatAnswersIsChosenAndTheOthersAreRefused) {
  auto meeting = std::make_unique<Rendezvous>();
  Visitor early(*meeting);
  Visitor ready(*meeting);
  listen(*meeting);
  EXPECT_FALSE(meeting->chosen());
  EXPECT_TRUE(meeting->anyone_waiting());
  ready.gets_its_device();
  while (!meeting->chosen()) meeting->await({}, -1);
  EXPECT_EQ(read_fields<DeviceInfo>(meeting->answer().at("result"), "info").description["kind"], "simulated");
  early.gets_its_device();
  EXPECT_EQ(early.farewell(), Farewell::refused);
  Visitor late(*meeting);
  meeting->await({}, -1);
  late.gets_its_device();
  EXPECT_EQ(late.farewell(), Farewell::refused);
  send_message(meeting->chosen()->socket, {{"op", "quit"}});
  EXPECT_EQ(ready.farewell(), Farewell::quit);
}

TEST(Rendezvous, WhoHangsUpIsTakenForClosed) {
  auto meeting = std::make_unique<Rendezvous>();
  Visitor visitor(*meeting);
  visitor.gets_its_device();
  while (!meeting->chosen()) meeting->await({}, -1);
  meeting.reset();
  EXPECT_EQ(visitor.farewell(), Farewell::closed);
}

TEST(Rendezvous, TheLastWordOfWhoLeftBeforeItWasGreetedIsHeard) {
  Rendezvous meeting;
  Visitor brief(meeting);
  brief.service().tell_ended("3 launches seen");
  brief.leave();
  listen(meeting);
  EXPECT_EQ(meeting.gone(), 1);
  EXPECT_EQ(meeting.last_word(), "3 launches seen");
}

TEST(Rendezvous, WhoLeavesBeforeItAnswersIsPassedOver) {
  Rendezvous meeting;
  Visitor probe(meeting);
  Visitor ends(meeting);
  listen(meeting);
  probe.leave();
  ends.service().tell_ended("12 launches");
  ends.gets_its_device();  // its device comes after it has announced its end
  listen(meeting);
  EXPECT_FALSE(meeting.chosen());
  EXPECT_FALSE(meeting.anyone_waiting());
  EXPECT_EQ(meeting.gone(), 2);
  EXPECT_EQ(meeting.last_word(), "12 launches");
}

}  // namespace
}  // namespace kjoule
