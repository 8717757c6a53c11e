#include "parallel/thread_pool.h"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#ifndef _WIN32
#include <pthread.h>
#include <signal.h>
#endif

namespace neargp {
namespace thread_pool {
namespace {

// Signals are for the threads of the process that runs us. A new thread inherits the mask, and gets no signals.
class SignalsBlocked {
 public:
#ifdef _WIN32
  SignalsBlocked() {}
#else
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
#endif
};

class ThreadPool {
 public:
  ~ThreadPool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopped_ = true;
    }
    work_is_there_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  pid_t process() const { return process_; }

  void run(int helpers, const std::function<void()>& work) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (work_) {  // the work of another thread, or of the caller's caller
      lock.unlock();
      work();
      return;
    }
    start(helpers);
    work_ = &work;
    wanted_ = helpers;
    lock.unlock();
    for (int helper = 0; helper < helpers; ++helper) work_is_there_.notify_one();
    work();
    lock.lock();
    wanted_ = 0;
    nobody_works_.wait(lock, [this] { return working_ == 0; });
    work_ = nullptr;
  }

 private:
  void start(int helpers) {
    const SignalsBlocked while_starting;
    try {
      while (int(threads_.size()) < helpers) threads_.emplace_back([this] { work_loop(); });
    } catch (const std::system_error&) {  // no more threads: those that are there do the work
    }
  }

  void work_loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      work_is_there_.wait(lock, [this] { return wanted_ > 0 || stopped_; });
      if (stopped_) return;
      --wanted_;
      ++working_;
      const std::function<void()>& work = *work_;
      lock.unlock();
      work();
      lock.lock();
      if (--working_ == 0) nobody_works_.notify_one();
    }
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::condition_variable work_is_there_, nobody_works_;
  const std::function<void()>* work_ = nullptr;
  int wanted_ = 0, working_ = 0;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

// The pool of this process. A fork starts without the threads, and its copy of the pool may be in the middle of any
// operation, so the copy is never used or deleted. A pool is not destroyed at the end of the process either, because
// its threads would have to be woken for that.
std::atomic<ThreadPool*> current_pool{nullptr};

ThreadPool& pool_of_this_process() {
  ThreadPool* found = current_pool.load();
  while (!found || found->process() != getpid()) {
    ThreadPool* fresh = new ThreadPool;
    if (current_pool.compare_exchange_strong(found, fresh)) return *fresh;
    delete fresh;
  }
  return *found;
}

}  // namespace

void run(int helpers, const std::function<void()>& work) {
  if (helpers > 0) {
    pool_of_this_process().run(helpers, work);
  } else {
    work();
  }
}

void stop() {
  ThreadPool* found = current_pool.exchange(nullptr);
  if (found && found->process() == getpid()) delete found;
}

}  // namespace thread_pool
}  // namespace neargp
