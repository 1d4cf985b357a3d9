#pragma once
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>
#include <thread>

#include "entry.hpp"

namespace stand_in {

/// A number in memory that several processes map. A process that waits for it sleeps until another one stores
/// it: there are more ranks than cores, and one that kept looking would take their time.
template <typename Number>
class SharedNumber {
 public:
  explicit SharedNumber(Number& number) : number_(number) {}

  void store(Number value) const {
    std::atomic_ref(number_).store(value, std::memory_order_release);
    call(FUTEX_WAKE, INT_MAX, nullptr);
  }
  /// Waits until `is_enough` returns true for the number.
  template <typename Condition>
  void wait_until(const Condition& is_enough) const {
    constexpr int kLooks = 50;
    constexpr timespec kLookAgain{0, 10'000'000};  // a thread of the host may have changed it without store()
    if (is_enough(std::atomic_ref(number_).load(std::memory_order_acquire))) return;
    const OutsideDriver outside;  // another device of this process may store it
    for (int look = 0;; ++look) {
      const Number value = std::atomic_ref(number_).load(std::memory_order_acquire);
      if (is_enough(value)) return;
      if (look < kLooks)
        std::this_thread::yield();
      else
        call(FUTEX_WAIT, static_cast<uint32_t>(value), &kLookAgain);
    }
  }

 private:
  /// The kernel looks at the lower half of a number of 64 bits.
  void call(int operation, uint32_t value, const timespec* limit) const {
    syscall(SYS_futex, &number_, operation, value, limit, nullptr, 0);
  }

  Number& number_;
};

}  // namespace stand_in
