#pragma once
#include <mutex>

// Which lock protects what, in a form that clang checks when it compiles (-Wthread-safety). GCC ignores it.
#ifdef __clang__
#define KJOULE_LOCKS(attribute) __attribute__((attribute))
#else
#define KJOULE_LOCKS(attribute)
#endif

/// Behind a member: it may be used only while the mutex is held.
#define KJOULE_GUARDED_BY(mutex) KJOULE_LOCKS(guarded_by(mutex))
/// Behind a function's or lambda's parameters: the caller holds the mutex.
#define KJOULE_REQUIRES(mutex) KJOULE_LOCKS(requires_capability(mutex))
/// Behind a function's parameters: the caller does not hold the mutex, which the function locks or waits for.
#define KJOULE_EXCLUDES(mutex) KJOULE_LOCKS(locks_excluded(mutex))
/// Behind a function's parameters: its body is not checked, for a reason that its comment states.
#define KJOULE_UNCHECKED_LOCKS KJOULE_LOCKS(no_thread_safety_analysis)

namespace kjoule {

/// A std::mutex that clang knows as one.
class KJOULE_LOCKS(capability("mutex")) Mutex {
 public:
  void lock() KJOULE_LOCKS(acquire_capability()) { mutex_.lock(); }
  void unlock() KJOULE_LOCKS(release_capability()) { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

/// Holds a mutex until the end of its scope. It may be unlocked, and locked again, before.
class KJOULE_LOCKS(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) KJOULE_LOCKS(acquire_capability(mutex)) : lock_(mutex.mutex_) {}
  ~MutexLock() KJOULE_LOCKS(release_capability()) = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() KJOULE_LOCKS(acquire_capability()) { lock_.lock(); }
  void unlock() KJOULE_LOCKS(release_capability()) { lock_.unlock(); }
  /// For std::condition_variable only, which holds the mutex whenever it calls the condition:
  /// `changed_.wait(lock.to_wait(), [&]() KJOULE_REQUIRES(mutex_) { return is_over_; })`.
  std::unique_lock<std::mutex>& to_wait() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace kjoule
