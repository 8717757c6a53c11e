// Files are replaced and appended to as a whole or not at all. Only one holder at a time can own a lock.
#include "base/file.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "base/error.h"

#ifdef _WIN32
#include <process.h>
#else
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace neargp;

namespace {

Bytes bytes(const std::string& text) { return {reinterpret_cast<const unsigned char*>(text.data()), text.size()}; }

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool exists(const std::string& path) { return std::ifstream(path).good(); }

std::string new_temporary_path() {
  static int count = 0;
  const std::filesystem::path name = "neargp-test-" + std::to_string(getpid()) + "-" + std::to_string(++count);
  return (std::filesystem::temp_directory_path() / name).string();
}

struct TemporaryFile {
  std::string path = new_temporary_path();
  ~TemporaryFile() { std::remove(path.c_str()); }
};

}  // namespace

TEST_CASE("a file is replaced, and appended to") {
  const TemporaryFile file;
  replace_file(file.path, bytes("one"));
  append_to_file(file.path, bytes(" and two"));
  CHECK(content(file.path) == "one and two");
  replace_file(file.path, bytes("three"));
  CHECK(content(file.path) == "three");
  CHECK_FALSE(exists(file.path + ".neargp-tmp"));
}

TEST_CASE("what cannot be written leaves the file as it was") {
  const TemporaryFile file;
  CHECK_THROWS_AS(append_to_file(file.path, bytes("one")), Error);
  CHECK_THROWS_AS(replace_file(file.path + "/none", bytes("one")), Error);
  CHECK_FALSE(exists(file.path));
}

TEST_CASE("a lock has one holder, and is gone afterwards") {
  const TemporaryFile file;
  auto first = std::make_unique<FileLock>(file.path);
  CHECK(first->held());
  CHECK_FALSE(FileLock(file.path).held());
#ifndef _WIN32  // there nobody else opens what is locked
  CHECK(exists(file.path));
#endif
  first.reset();
  CHECK_FALSE(exists(file.path));
  CHECK(FileLock(file.path).held());
  CHECK_FALSE(exists(file.path));
}

#ifdef _WIN32

// Virus scanners read files in this way. On this system a file that is open cannot be renamed.
TEST_CASE("a file is as it was while another process reads what would replace it, and is replaced later") {
  const TemporaryFile file, beside{file.path + ".neargp-tmp"};
  replace_file(file.path, bytes("one"));
  std::ofstream(beside.path) << "read";
  auto reader = std::make_unique<std::ifstream>(beside.path);
  CHECK_THROWS_AS(replace_file(file.path, bytes("two")), Error);
  CHECK(content(file.path) == "one");
  std::thread end_of_reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    reader.reset();
  });
  replace_file(file.path, bytes("three"));
  end_of_reader.join();
  CHECK(content(file.path) == "three");
}

#else

TEST_CASE("a file that is not empty is no lock, and is kept") {
  const TemporaryFile file;
  replace_file(file.path, bytes("one"));
  CHECK_THROWS_AS(FileLock(file.path), Error);
  CHECK(content(file.path) == "one");
}

// Runs in a child process, because the limit is one of the process.
TEST_CASE("a limit on the size of files cuts nothing off and ends no process") {
  const TemporaryFile file;
  replace_file(file.path, bytes("one"));
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    bool thrown = false;
    try {
      append_to_file(file.path, bytes(std::string(5000, 'x')));
    } catch (const Error&) {
      thrown = true;
    }
    _exit(thrown ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(content(file.path) == "one");
}

TEST_CASE("the lock of a process that was killed is free") {
  const TemporaryFile file;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const FileLock lock(file.path);
    const char held = lock.held();
    if (write(ready[1], &held, 1) == 1) pause();
    _exit(1);
  }
  char held = 0;
  REQUIRE(read(ready[0], &held, 1) == 1);
  CHECK(held == 1);
  CHECK_FALSE(FileLock(file.path).held());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(exists(file.path));
  CHECK(FileLock(file.path).held());
}

#endif
