// A crowd in groups that the host leads: before each step it writes what each group is to do, where the
// obstacles are, a curve and the step's parameters into mapped page-locked memory, where the kernels read
// them. One kernel writes each group's state into such memory, another one adds these up there, and the host
// chooses the next step's commands by them.
//
// Difficult: no call announces new data. Many blocks of most kernels read the same few KiB of host memory, by
// the address that the host uses; for the states, the program asks CUDA for the device's address.
//
// usage: mapped_parameters [STEPS]    STEPS is 25,000 by default; each takes about 0.6 ms
#include <algorithm>
#include <cmath>

#include "shared.cuh"

namespace {

constexpr int kMembers = 1 << 21;
constexpr int kGroups = 512, kGroup = kMembers / kGroups;
constexpr int kSide = 512;  // of the grid in which members are counted
constexpr int kCells = kSide * kSide;
constexpr int kObstacles = 32;
constexpr int kCurve = 256;
constexpr int kRounds = 3;  // in each step
constexpr int kEach = 4;    // members for each thread
constexpr int kOfBlock = kEach * kThreads;
constexpr int kBlocks = 1056;

struct Command {
  float x, y;  // where to go
  float pull, swirl;
  float limit, noise;
  uint32_t seed, place;  // place: where its part of the curve begins
};
static_assert(sizeof(Command) == 32);

struct Obstacle {
  float x, y, radius, push;
};

/// All that the host writes.
struct Orders {
  float duration, drag, repulsion, smoothing;
  float wind_x, wind_y;
  uint32_t step, seed;
  Command commands[kGroups];
  Obstacle obstacles[kObstacles];
  float curve[kCurve];
};

struct State {
  float speed_x, speed_y, density;
  uint32_t crowded;
};

/// All that the host reads.
struct Report {
  State groups[kGroups];
  State all;
};

/// From one place to another, by the shorter way; the plane ends where it begins.
__device__ float way(float from, float to) {
  const float distance = to - from;
  return distance - rintf(distance);
}

__device__ int cell_at(float x, float y) {
  return min(static_cast<int>(y * kSide), kSide - 1) * kSide + min(static_cast<int>(x * kSide), kSide - 1);
}

__global__ void place_members(float2* places, float2* speeds) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  places[i] = make_float2(number(mixed(2 * i)) + 0.5f, number(mixed(2 * i + 1)) + 0.5f);
  speeds[i] = make_float2(0, 0);
}

__global__ void count_members(const float2* places, uint32_t* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(counts + cell_at(places[i].x, places[i].y), 1);
}

/// The density follows the counts of the cells around.
__global__ void smooth(const uint32_t* counts, float* density, const Orders* orders) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  uint32_t sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += counts[(y + dy + kSide) % kSide * kSide + (x + dx + kSide) % kSide];
  float& here = density[y * kSide + x];
  here += orders->smoothing * (sum * (kCells / 9.f / kMembers) - here);
}

/// Each block belongs to one group.
__global__ void follow_commands(const float2* places, float2* speeds, const Orders* orders) {
  const uint32_t first = blockIdx.x * kOfBlock;
  const Command command = orders->commands[first / kGroup];
  for (uint32_t i = first + threadIdx.x; i < first + kOfBlock; i += kThreads) {
    const float x = way(places[i].x, command.x), y = way(places[i].y, command.y);
    const float far = sqrtf(x * x + y * y) * 1.4f;
    const float factor = orders->curve[(command.place + static_cast<uint32_t>(far * 64)) % kCurve];
    const uint32_t chance = mixed(i ^ command.seed);
    float2 speed = speeds[i];
    speed.x += factor * (command.pull * x - command.swirl * y) + command.noise * number(chance);
    speed.y += factor * (command.pull * y + command.swirl * x) + command.noise * number(mixed(chance));
    speeds[i] = speed;
  }
}

/// Away from the obstacles, which each block reads once, and from crowds.
__global__ void avoid(const float2* places, float2* speeds, const float* density, const Orders* orders) {
  __shared__ Obstacle obstacles[kObstacles];
  if (threadIdx.x < kObstacles) obstacles[threadIdx.x] = orders->obstacles[threadIdx.x];
  const float repulsion = orders->repulsion;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kMembers; i += gridDim.x * blockDim.x) {
    const float2 place = places[i];
    float2 speed = speeds[i];
    for (const Obstacle& obstacle : obstacles) {
      const float x = way(obstacle.x, place.x), y = way(obstacle.y, place.y);
      const float inside = fmaxf(obstacle.radius * obstacle.radius - x * x - y * y, 0);
      speed.x += obstacle.push * inside * x;
      speed.y += obstacle.push * inside * y;
    }
    const int cell = cell_at(place.x, place.y), column = cell % kSide, row = cell - column;
    speed.x -=
        repulsion * (density[row + (column + 1) % kSide] - density[row + (column + kSide - 1) % kSide]);
    speed.y -= repulsion * (density[(cell + kSide) % kCells] - density[(cell + kCells - kSide) % kCells]);
    speeds[i] = speed;
  }
}

__global__ void move(float2* places, float2* speeds, const Orders* orders) {
  const int first = blockIdx.x * kOfBlock;
  const float limit = orders->commands[first / kGroup].limit, kept = 1 - orders->drag;
  const float duration = orders->duration, wind_x = orders->wind_x, wind_y = orders->wind_y;
  for (int i = first + threadIdx.x; i < first + kOfBlock; i += kThreads) {
    float2 speed = speeds[i], place = places[i];
    speed.x = fminf(fmaxf(kept * speed.x + wind_x, -limit), limit);
    speed.y = fminf(fmaxf(kept * speed.y + wind_y, -limit), limit);
    place.x += duration * speed.x;
    place.y += duration * speed.y;
    speeds[i] = speed;
    places[i] = make_float2(place.x - floorf(place.x), place.y - floorf(place.y));
  }
}

__device__ State sum_of_block(State state) {
  __shared__ State sums[kThreads];
  sums[threadIdx.x] = state;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    State& sum = sums[threadIdx.x];
    const State& other = sums[threadIdx.x + half];
    sum = {sum.speed_x + other.speed_x, sum.speed_y + other.speed_y, sum.density + other.density,
           sum.crowded + other.crowded};
  }
  return sums[0];
}

/// A block for each group.
__global__ void report_groups(const float2* places, const float2* speeds, const float* density,
                              Report* report) {
  State state{};
  for (int k = threadIdx.x; k < kGroup; k += kThreads) {
    const int i = blockIdx.x * kGroup + k;
    const float around = density[cell_at(places[i].x, places[i].y)];
    state.speed_x += speeds[i].x / kGroup;
    state.speed_y += speeds[i].y / kGroup;
    state.density += around / kGroup;
    state.crowded += around > 1.5f;
  }
  state = sum_of_block(state);
  if (threadIdx.x == 0) report->groups[blockIdx.x] = state;
}

/// One block, which reads what the groups' blocks have written to the host.
__global__ void report_all(Report* report) {
  State state{};
  for (int group = threadIdx.x; group < kGroups; group += kThreads) {
    const State& other = report->groups[group];
    state = {state.speed_x + other.speed_x / kGroups, state.speed_y + other.speed_y / kGroups,
             state.density + other.density / kGroups, state.crowded + other.crowded};
  }
  state = sum_of_block(state);
  if (threadIdx.x == 0) report->all = state;
}

/// Writes the next step's orders.
void lead(Orders& orders, int step, const Report& report) {
  const float crowded = static_cast<float>(report.all.crowded) / kMembers;
  orders.duration = 0.5f + 0.1f * (step % 3);
  orders.drag = 0.05f + 0.1f * crowded;
  orders.repulsion = 2e-4f * (1 + crowded);
  orders.smoothing = 0.3f + 0.02f * (step % 11);
  orders.wind_x = -0.1f * report.all.speed_x + 1e-5f * (step % 17);
  orders.wind_y = -0.1f * report.all.speed_y - 1e-5f * (step % 19);
  orders.step = step;
  orders.seed = mixed(step ^ report.all.crowded);
  for (int i = 0; i < kGroups; ++i) {
    const State& state = report.groups[i];
    const float row = i / 32 / 16.f, column = i % 32 / 32.f, turn = 0.002f * step + i;
    const float calm = 1 / (1 + state.density);
    orders.commands[i] = {.x = column + 0.2f * std::cos(turn) - state.speed_x,
                          .y = row + 0.2f * std::sin(turn) - state.speed_y,
                          .pull = 0.002f * calm,
                          .swirl = i % 2 ? 0.001f : -0.001f,
                          .limit = 0.01f * calm + 0.001f,
                          .noise = 2e-4f + 1e-4f * state.crowded / kGroup,
                          .seed = mixed(orders.seed + i),
                          .place = static_cast<uint32_t>(i + step)};
  }
  for (int i = 0; i < kObstacles; ++i) {
    const float turn = 0.01f * step + 0.2f * i;
    orders.obstacles[i] = {.x = 0.5f + 0.4f * std::cos(turn),
                           .y = (i + 0.5f) / kObstacles,
                           .radius = 0.02f + 0.01f * (i % 4),
                           .push = 50 + 10 * crowded};
  }
  for (int i = 0; i < kCurve; ++i) orders.curve[i] = 1 + number(mixed(step / 8 * kCurve + i));
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 25000;
  Orders* orders = nullptr;
  Report *report = nullptr, *report_on_device = nullptr;
  CHECK(cudaHostAlloc(&orders, sizeof *orders, cudaHostAllocMapped));
  CHECK(cudaHostAlloc(&report, sizeof *report, cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&report_on_device, report, 0));
  *report = {};
  const DeviceArray<float2> places(kMembers), speeds(kMembers);
  const DeviceArray<uint32_t> counts(kCells);
  const DeviceArray<float> density(kCells);
  const dim3 block(32, 8), grid(kSide / block.x, kSide / block.y);
  place_members<<<kMembers / kThreads, kThreads>>>(places, speeds);
  CHECK(cudaMemset(density, 0, kCells * sizeof(float)));
  Fingerprint fingerprint;
  for (int step = 0; step < steps; ++step) {
    lead(*orders, step, *report);
    for (int round = 0; round < kRounds; ++round) {
      CHECK(cudaMemsetAsync(counts, 0, kCells * sizeof(uint32_t)));
      count_members<<<kMembers / kThreads, kThreads>>>(places, counts);
      smooth<<<grid, block>>>(counts, density, orders);
      follow_commands<<<kMembers / kOfBlock, kThreads>>>(places, speeds, orders);
      avoid<<<kBlocks, kThreads>>>(places, speeds, density, orders);
      move<<<kMembers / kOfBlock, kThreads>>>(places, speeds, orders);
    }
    report_groups<<<kGroups, kThreads>>>(places, speeds, density, report_on_device);
    report_all<<<1, kThreads>>>(report_on_device);
    fingerprint.add(orders, 1);
    fingerprint.add(report_on_device, 1);
    fingerprint.add(places.get(), kMembers);
    CHECK(cudaDeviceSynchronize());
  }
  const double sum = fingerprint.sum();
  CHECK(cudaFreeHost(orders));
  CHECK(cudaFreeHost(report));
  return finish(sum);
}
