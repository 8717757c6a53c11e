// The interpreter of tests/cpp/interpreted itself, by kernels of a few lines: what it computes, and each fault that it
// is to find next to the same kernel without it.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "fault.h"
#include "launch.h"
#include "parse.h"

namespace {

constexpr int threads = 64;

// Register %rd1 contains the address of the kernel's memory, and %r1 the number of the thread. Registers %rd2 and %r2
// contain the addresses of the thread's own four bytes there and in shared memory, which is as large. Register %r3
// contains the address in shared memory of the next thread's bytes, modulo 64.
ptx::Kernel kernel(const std::string& body) {
  const std::string text = R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry small(
	.param .u64 small_param_0
)
.maxntid 64, 1, 1
{
	.reg .b32 	%r<9>;
	ld.param.u64 	%rd1, [small_param_0];
	mov.u32 	%r1, %tid.x;
	mul.wide.u32 	%rd3, %r1, 4;
	add.s64 	%rd2, %rd1, %rd3;
	mov.u32 	%r4, dynamic;
	mad.lo.s32 	%r2, %r1, 4, %r4;
	add.s32 	%r5, %r1, 1;
	and.b32 	%r6, %r5, 63;
	mad.lo.s32 	%r3, %r6, 4, %r4;
)" + body + "\n\tret;\n\n}\n";
  return ptx::decode("small", ptx::kernels_in(text).at("small"));
}

struct Outcome {
  std::string fault;
  std::vector<int> result;
  std::uint64_t written = 0;  // bytes of it, from the first on
  ptx::Counts counts;
};

Outcome run(const std::string& body, int blocks = 1) {
  ptx::GlobalMemory global;
  void* memory = global.allocate(threads * 4);
  const void* arguments[] = {&memory};
  Outcome outcome;
  try {
    ptx::run_kernel(kernel(body), arguments, {std::uint32_t(blocks), threads, threads * 4}, 1, global, &outcome.counts);
  } catch (const ptx::Fault& fault) {
    outcome.fault = fault.what();
  }
  const int* first = static_cast<const int*>(memory);
  outcome.result.assign(first, first + threads);
  ptx::Region& region = *global.find(reinterpret_cast<std::uint64_t>(memory));
  outcome.written = region.first_unwritten(region.begin, region.size) - region.begin;
  global.release(memory);
  return outcome;
}

void check_fault(const std::string& body, const std::string& fault, int blocks = 1) {
  const std::string found = run(body, blocks).fault;
  CAPTURE(body);
  CAPTURE(found);
  CHECK(found.find(fault) != std::string::npos);
}

void check_good(const std::string& body, int blocks = 1) {
  CAPTURE(body);
  CHECK(run(body, blocks).fault == "");
}

const std::string no_barrier_parts = "no barrier parts that";

}  // namespace

TEST_CASE("lanes that go different ways meet again, and numbers of several types are computed") {
  const Outcome outcome = run(R"(
	setp.lt.s32 	%p1, %r1, 5;
	mov.u32 	%r7, 0;
	@%p1 bra 	$L__small;
	cvt.rn.f64.s32 	%fd1, %r1;
	fma.rn.f64 	%fd2, %fd1, 0d4000000000000000, 0dBFF0000000000000;
	cvt.rzi.s32.f64 	%r7, %fd2;
$L__small:
	neg.s32 	%r8, %r7;
	st.global.u32 	[%rd2], %r8;)");
  CHECK(outcome.fault == "");
  for (int t = 0; t < threads; ++t) CHECK(outcome.result[t] == (t < 5 ? 0 : -(2 * t - 1)));
}

TEST_CASE("bits are compared whatever type they have") {
  const Outcome outcome = run(R"(
	and.b32 	%r7, %r1, 1;
	setp.eq.b32 	%p1, %r7, 1;
	setp.ne.b32 	%p2, %r1, 3;
	and.pred 	%p1, %p1, %p2;
	selp.b32 	%r8, 1, 0, %p1;
	st.global.u32 	[%rd2], %r8;)");
  CHECK(outcome.fault == "");
  for (int t = 0; t < threads; ++t) CHECK(outcome.result[t] == (t % 2 == 1 && t != 3));
}

TEST_CASE("lanes exchange numbers, and count flags") {
  const Outcome outcome = run(R"(
	shfl.sync.bfly.b32 	%r7|%p2, %r1, 4, 31, -1;
	setp.gt.u32 	%p1, %r1, 59;
	vote.sync.ballot.b32 	%r8, %p1, -1;
	popc.b32 	%r8, %r8;
	mad.lo.s32 	%r7, %r8, 100, %r7;
	st.global.u32 	[%rd2], %r7;)");
  CHECK(outcome.fault == "");
  for (int t = 0; t < threads; ++t) CHECK(outcome.result[t] == (t < 32 ? 0 : 400) + (t ^ 4));
}

TEST_CASE("accesses are to memory that is there, at multiples of their size") {
  check_good("st.global.u32 [%rd2], 1;");
  check_fault("st.global.u32 [%rd2+4], 1;", "where nothing is");
  check_fault("st.global.u32 [%rd2+-4], 1;", "where nothing is");
  check_fault("st.global.v2.u32 [%rd2+-4], {%r1, %r1};", "where nothing is");
  check_fault("st.shared.u32 [%r2+4], 1;", "touches bytes 256 to 259 of shared memory");
  check_fault("st.shared.v2.u32 [%r2], {%r1, %r1};", "no multiple");
  check_fault("mul.wide.u32 %rd4, %r1, 1; add.s64 %rd4, %rd1, %rd4; ld.global.u32 %r7, [%rd4];", "no multiple");
  check_fault("ld.param.u64 %rd4, [small_param_0+8];", "of the parameters");
}

TEST_CASE("what two threads do with the same bytes is parted by a barrier") {
  const std::string own = "st.shared.u32 [%r2], %r1;\n", other = "ld.shared.u32 %r7, [%r3];\n";
  const std::string of_block = "bar.sync 0;\n", of_warp = "bar.warp.sync -1;\n";
  check_good(own + "ld.shared.u32 %r7, [%r2];\n");
  check_fault(own + other, no_barrier_parts);
  check_fault(own + of_warp + other, no_barrier_parts);  // thread 31 reads what another warp wrote
  check_good(own + of_block + other);
  check_fault(own + of_block + other + own, no_barrier_parts);
  check_good(own + of_block + other + of_block + own);
  // an exchange is no barrier
  check_fault(own + of_block + other + "shfl.sync.bfly.b32 %r8|%p1, %r1, 1, 31, -1;\n" + own, no_barrier_parts);
  // all threads write to the same address, or one thread writes what all read
  check_fault("st.shared.u32 [%r4], 1;\n", no_barrier_parts);
  const std::string first = "setp.eq.s32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r4], 1;\n",
                    all = "ld.shared.u32 %r7, [%r4];\n";
  check_fault(first + all, no_barrier_parts);
  check_good(first + of_block + all);
  check_fault(first + of_block + all + of_warp + first, no_barrier_parts);
  check_good(first + of_block + all + of_block + first);
}

TEST_CASE("neighbours of a warp need no barrier of the block") {
  const std::string within = "xor.b32 %r7, %r1, 1;\nmad.lo.s32 %r7, %r7, 4, %r4;\n",
                    own = "st.shared.u32 [%r2], %r1;\n";
  const std::string other = "ld.shared.u32 %r8, [%r7];\n";
  check_fault(within + own + other, no_barrier_parts);
  check_good(within + own + "bar.warp.sync -1;\n" + other);
  check_fault(within + own + "bar.warp.sync -1;\n" + other + own, no_barrier_parts);
  check_good(within + own + "bar.warp.sync -1;\n" + other + "bar.warp.sync -1;\n" + own);
}

TEST_CASE("blocks of a launch touch memory of their own") {
  check_good("ld.param.u64 %rd4, [small_param_0];", 2);
  check_fault("st.global.u32 [%rd2], %r1;", no_barrier_parts, 2);
  const std::string of_block = "mov.u32 %r7, %ctaid.x;\nsetp.eq.s32 %p1, %r1, %r7;\n";
  check_good(of_block + "@%p1 st.global.u32 [%rd2], %r1;", 2);
}

TEST_CASE("nothing depends on memory that nobody wrote") {
  const std::string nothing = "ld.shared.u32 %r7, [%r2];\n";
  check_good(nothing);  // as long as nobody wants to know
  check_fault(nothing + "setp.eq.s32 %p1, %r7, 0;\n@%p1 st.shared.u32 [%r2], 0;\n", "nobody wrote");
  check_fault(nothing + "add.s32 %r8, %r2, %r7;\nst.shared.u32 [%r8], 0;\n", "nobody wrote");
  CHECK(run(nothing + "st.global.u32 [%rd2], %r7;").written == 0);
  CHECK(run(nothing + "add.s32 %r7, %r7, %r1;\nshfl.sync.bfly.b32 %r8|%p1, %r7, 1, 31, -1;\nst.global.u32 [%rd2], %r8;")
            .written == 0);
  CHECK(run("st.shared.u32 [%r2], %r1;\n" + nothing + "st.global.u32 [%rd2], %r7;").written == 256);
}

TEST_CASE("barriers and exchanges have all lanes") {
  const std::string some = "setp.lt.s32 %p1, %r1, 40;\n", leave = some + "@%p1 ret;\n";
  const std::string exchange = "shfl.sync.bfly.b32 %r7|%p2, %r1, 1, 31, -1;\n";
  check_fault(leave + "bar.sync 0;\n", "come to its end");
  check_fault("setp.lt.s32 %p1, %r1, 32;\n@%p1 ret;\nbar.sync 0;\n", "another barrier than thread 0");
  check_fault(leave + exchange, "come to its end");
  check_fault(leave + "bar.warp.sync -1;\n", "come to its end");
  // each side of a branch makes its own exchanges
  check_fault(some + "@%p1 bra $L__other;\n" + exchange + "bra $L__end;\n$L__other:\n" + exchange + "$L__end:\n",
              "never come");
  // lanes that are late are waited for
  check_good(some + "@%p1 bra $L__meet;\nadd.s32 %r8, %r1, 1;\n$L__meet:\n" + exchange + "bar.sync 0;\n");
  check_fault("shfl.sync.bfly.b32 %r7|%p2, %r1, 1, 31, 15;\n", "names a part of its warp");
}

TEST_CASE("what a body adds is counted, of both warps together") {
  const ptx::Counts none = run("").counts;
  CHECK(none.instructions == 2 * 8);  // the kernel's own, with ret
  CHECK(none.constants == 2 * 2);
  const ptx::Counts counts = run(R"(
	mov.u32 	%r7, 3;
	cvt.rn.f64.s32 	%fd1, %r1;
	fma.rn.f64 	%fd2, %fd1, %fd1, %fd1;
	neg.f64 	%fd2, %fd2;
	abs.f64 	%fd2, %fd2;
	sqrt.rn.f64 	%fd3, %fd2;
	rsqrt.approx.ftz.f64 	%fd4, %fd2;
	rcp.rn.f64 	%fd5, %fd2;)")
                                 .counts;
  CHECK(counts.constants - none.constants == 2);
  CHECK(counts.instructions - none.instructions == 2 * 7);
  CHECK(counts.in_double == 2 * 3);  // cvt, fma, abs
  CHECK(counts.square_roots == 2);
  CHECK(counts.inverse_roots == 2);
  CHECK(counts.shared == 0);
}

TEST_CASE("a loop counts as often as it runs, and both ways of a branch") {
  const std::string loop = "mov.u32 %r7, 0;\n$L__again:\nadd.s32 %r7, %r7, 1;\nsetp.lt.s32 %p1, %r7, 5;\n";
  const auto instructions = [](const std::string& body) { return run(body).counts.instructions; };
  const std::int64_t none = instructions("");
  CHECK(instructions(loop + "@%p1 bra $L__again;") - none == 2 * 5 * 3);
  const std::string ways = "@%p1 bra $L__other;\nadd.s32 %r7, %r1, 1;\n$L__other:\nadd.s32 %r8, %r1, 1;";
  CHECK(instructions("setp.lt.s32 %p1, %r1, 5;\n" + ways) - none == 2 * 4);
}

TEST_CASE("accesses to shared memory are as many as words in one bank") {
  const auto accesses = [](const std::string& address, const std::string& access) {
    const ptx::Counts counts = run("and.b32 %r7, %r1, 31;\n" + address + access).counts;
    CHECK(counts.shared == 2);
    return counts.accesses;
  };
  const std::string load = "ld.shared.u32 %r8, [%r7];";
  CHECK(accesses("mad.lo.s32 %r7, %r7, 4, %r4;\n", load) == 2 * 1);
  CHECK(accesses("mov.u32 %r7, %r4;\n", load) == 2 * 1);  // one word for all
  CHECK(accesses("shr.u32 %r7, %r7, 1;\nmad.lo.s32 %r7, %r7, 8, %r4;\n", load) == 2 * 1);
  CHECK(accesses("and.b32 %r7, %r7, 1;\nmad.lo.s32 %r7, %r7, 128, %r4;\n", load) == 2 * 2);
  CHECK(accesses("mad.lo.s32 %r7, %r7, 8, %r4;\n", "ld.shared.f64 %fd1, [%r7];") == 2 * 2);
}

TEST_CASE("a chain of results takes the clocks of its links, and what is free of it fills them") {
  const std::string first = "cvt.rn.f64.s32 %fd1, %r1;\nbar.warp.sync -1;\n", end = "bar.warp.sync -1;\n";
  const auto clocks = [&](const std::string& body) { return run(first + body + end).counts.clocks; };
  const auto additions = [](int count, bool chained) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "add.f64 %fd" + std::to_string(chained ? 1 : i + 2) + ", %fd1, %fd1;\n";
    return text;
  };
  const std::int64_t link = clocks(additions(11, true)) - clocks(additions(10, true));
  CHECK(link > 1);
  CHECK(clocks(additions(20, true)) - clocks(additions(10, true)) == 10 * link);
  CHECK(clocks(additions(20, false)) - clocks(additions(10, false)) == 10);
  // behind a chain they wait for its end, before it for nothing
  CHECK(clocks(additions(5, false) + additions(10, true)) == clocks(additions(10, true)));
}

TEST_CASE("what the interpreter does not know it does not guess") {
  CHECK_THROWS_WITH_AS(kernel("bfind.u32 %r7, %r1;"),
                       "the interpreter does not know the instruction bfind.u32 %r7, %r1", ptx::Fault);
  CHECK_THROWS_AS(kernel("bra $L__nowhere;"), ptx::Fault);
}
