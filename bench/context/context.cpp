// What the sum over a GPU program's launches depends on: how the whole and the launches are timed, tried side
// by side.
//
// usage: context ROWS.jsonl NAME SET ROUNDS -- PROGRAM ARGS
//
// SET is gate, windows, order, led or heat: adds a row a round and method, its seconds and the clock of the
// processors meanwhile. Or it is aged: adds a row with the seconds of the whole each time other work was
// opened or played.
#include <fmt/format.h>

#include <fstream>
#include <iostream>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "measure/sweep.hpp"
#include "methods.hpp"
#include "play/injected_program.hpp"
#include "play/remote_device.hpp"

namespace {

using namespace kjoule;

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Played play(Track& track, int repeats) {
  track.enqueue(repeats);
  return track.wait();
}

nlohmann::json measure(Method& method, size_t launches) {
  const Played played = play(*method.track, method.repeats);
  std::vector<double> seconds(launches + 1, 0.0);
  method.pass.add_times(played.seconds, seconds);
  double sum = 0;
  for (size_t i = 0; i < launches; ++i) sum += seconds[i];
  nlohmann::json row{
      {"method", method.name},
      {"seconds", sum / method.divided_by},
      {"clock_hz", mean_of(played.clock_hz)},
      {"played_s", static_cast<double>(played.end_ns - played.begin_ns) * 1e-9 / method.repeats}};
  if (seconds[launches] != 0) row["whole_s"] = seconds[launches];
  return row;
}

/// Tracks of one program, and where its rows go.
struct Bench {
  RemoteDevice device;
  KernelTable table;
  std::ofstream rows;
  std::string program;
  int fill = 1;  ///< iterations in 20 ms

  size_t launches() const { return table.kernel_of.size(); }
  void write(nlohmann::json row) {
    row["program"] = program;
    rows << row.dump() << std::endl;
  }
};

void compare_methods(Bench& bench, const std::string& set, int rounds) {
  std::vector<Method> all = methods_of(set, bench.launches(), bench.fill);
  for (Method& method : all) method.track = bench.device.open(method.pass.sequence);
  for (int round = 0; round < rounds; ++round)
    for (Method& method : all) {
      nlohmann::json row = measure(method, bench.launches());
      row["round"] = round;
      bench.write(std::move(row));
    }
}

/// What leaves the device slower than it was: the whole again and again while other work is opened and
/// played.
void age(Bench& bench, int rounds) {
  const size_t launches = bench.launches();
  const Pass pass = whole(launches, bench.fill);
  const auto first = bench.device.open(pass.sequence);
  const auto after = [&](const std::string& step) {
    bench.write({{"after", step}, {"whole_s", mean_of(play(*first, rounds).seconds) / bench.fill}});
  };
  after("nothing");
  after("nothing again");
  std::vector<std::unique_ptr<Track>> open;
  const std::vector<std::pair<std::string, Sequence>> others{
      {"edges alone", {{{{}, {}}}}},
      {"edges alone", {{{{}, {}}}}},
      {"one launch", {{{{}, {0}}}}},
      {"one iteration", whole(launches, 1).sequence},
      {"the launches by differences", sweep_by_differences(launches, 5, {}).front().sequence}};
  for (const auto& [name, sequence] : others) {
    open.push_back(bench.device.open(sequence));
    after(name + " opened");
    play(*open.back(), 1);
    after(name + " played");
  }
  open.clear();
  after("all these closed");
}

void run(const std::string& file, const std::string& name, const std::string& set, int rounds,
         std::vector<std::string> command) {
  Bench bench{RemoteDevice(std::make_shared<InjectedProgram>(std::move(command), find_injected_library(),
                                                             InjectionOptions{})),
              {},
              std::ofstream(file, std::ios::app),
              name};
  bench.table = kernel_table(bench.device.record());
  const auto once = bench.device.open(in_one_stretch(bench.launches(), {}, 4));
  const double iteration_s = play(*once, 2).seconds.back() / 4;
  bench.fill = std::min(200, static_cast<int>(0.02 / iteration_s) + 1);
  if (set == "aged")
    age(bench, rounds);
  else
    compare_methods(bench, set, rounds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7 || std::string(argv[5]) != "--") {
    std::cerr << "usage: context ROWS.jsonl NAME SET ROUNDS -- PROGRAM ARGS\n";
    return 2;
  }
  try {
    run(argv[1], argv[2], argv[3], std::stoi(argv[4]), {argv + 6, argv + argc});
  } catch (const Error& error) {
    std::cerr << "context: " << error.what() << "; " << error.remedy() << "\n";
    return 1;
  }
}
