#include "arithmetic.h"

#include <cstdint>
#include <type_traits>
#include <utility>

#include "operations.h"

namespace ptx {

namespace {

template <class T>
constexpr const char* suffix() {
  if constexpr (std::is_same_v<T, bool>) return ".pred";
  if constexpr (std::is_same_v<T, std::int8_t>) return ".s8";
  if constexpr (std::is_same_v<T, std::int16_t>) return ".s16";
  if constexpr (std::is_same_v<T, std::int32_t>) return ".s32";
  if constexpr (std::is_same_v<T, std::int64_t>) return ".s64";
  if constexpr (std::is_same_v<T, std::uint8_t>) return ".u8";
  if constexpr (std::is_same_v<T, std::uint16_t>) return ".u16";
  if constexpr (std::is_same_v<T, std::uint32_t>) return ".u32";
  if constexpr (std::is_same_v<T, std::uint64_t>) return ".u64";
  if constexpr (std::is_same_v<T, float>) return ".f32";
  return ".f64";
}

// The result is in operand 0, of arguments in 1, 2, ...
template <class F, class R, class... T, std::size_t... Place>
void run_places(Warp& warp, const Instruction& instruction, Lanes lanes, std::index_sequence<Place...>) {
  auto& result = warp.value(instruction.operand[0]);
  for_lanes(lanes, [&](int lane) {
    result[lane] = bits_of<R>(F::of(number_in<T>(warp.value(instruction.operand[Place + 1])[lane])...));
  });
  set_known(warp, instruction.operand[0], lanes, (warp.known(instruction.operand[Place + 1]) & ...));
}

template <class F, class R, class... T>
void run(Warp& warp, const Instruction& instruction, Lanes lanes) {
  run_places<F, R, T...>(warp, instruction, lanes, std::index_sequence_for<T...>());
}

template <class F, class... T>
void unary(Operations& table, const std::string& name) {
  (table.emplace(name + suffix<T>(), run<F, T, T>), ...);
}
template <class F, class... T>
void binary(Operations& table, const std::string& name) {
  (table.emplace(name + suffix<T>(), run<F, T, T, T>), ...);
}
template <class F, class... T>
void ternary(Operations& table, const std::string& name) {
  (table.emplace(name + suffix<T>(), run<F, T, T, T, T>), ...);
}

// Untyped, by their size.
template <class F>
void unary_bits(Operations& table, const std::string& name) {
  table.emplace(name + ".pred", run<F, bool, bool>);
  table.emplace(name + ".b16", run<F, std::uint16_t, std::uint16_t>);
  table.emplace(name + ".b32", run<F, std::uint32_t, std::uint32_t>);
  table.emplace(name + ".b64", run<F, std::uint64_t, std::uint64_t>);
}
template <class F>
void binary_bits(Operations& table, const std::string& name) {
  table.emplace(name + ".pred", run<F, bool, bool, bool>);
  table.emplace(name + ".b16", run<F, std::uint16_t, std::uint16_t, std::uint16_t>);
  table.emplace(name + ".b32", run<F, std::uint32_t, std::uint32_t, std::uint32_t>);
  table.emplace(name + ".b64", run<F, std::uint64_t, std::uint64_t, std::uint64_t>);
}

template <class F, class... T>
void shift(Operations& table, const std::string& name) {
  (table.emplace(name + suffix<T>(), run<F, T, T, std::uint32_t>), ...);
}

template <class F, class... T>
void compare(Operations& table, const std::string& name) {
  (table.emplace("setp." + name + suffix<T>(), run<F, bool, T, T>), ...);
}

template <class F>
void compare_all(Operations& table, const std::string& name) {
  compare<F, std::int16_t, std::int32_t, std::int64_t, std::uint16_t, std::uint32_t, std::uint64_t>(table, name);
  compare<std::conditional_t<std::is_same_v<F, Unequal>, Differ, F>, float, double>(table, name);
  compare<OrUnordered<F>, float, double>(table, name + "u");
}

// Comparisons of bits without a type.
template <class F>
void compare_bits(Operations& table, const std::string& name) {
  table.emplace("setp." + name + ".b16", run<F, bool, std::uint16_t, std::uint16_t>);
  table.emplace("setp." + name + ".b32", run<F, bool, std::uint32_t, std::uint32_t>);
  table.emplace("setp." + name + ".b64", run<F, bool, std::uint64_t, std::uint64_t>);
}

void add_comparisons(Operations& table) {
  compare_bits<Equal>(table, "eq");
  compare_bits<Unequal>(table, "ne");
  compare_all<Equal>(table, "eq");
  compare_all<Unequal>(table, "ne");
  compare_all<Less>(table, "lt");
  compare_all<NotGreater>(table, "le");
  compare_all<Greater>(table, "gt");
  compare_all<NotLess>(table, "ge");
}

template <class To, class From, class F>
struct ConvertBy {
  static To of(From x) { return F::template of<To, From>(x); }
};

template <class To, class From, class F = Convert>
void convert(Operations& table, const std::string& how = "") {
  table.emplace("cvt" + how + suffix<To>() + suffix<From>(), run<ConvertBy<To, From, F>, To, From>);
}

template <class To, class... From>
void convert_from(Operations& table) {
  (convert<To, From>(table), ...);
}
template <class... To>
void convert_integers(Operations& table) {
  (convert_from<To, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                std::uint64_t>(table),
   ...);
}

template <class... Real>
void convert_reals(Operations& table) {
  (convert<Real, std::int32_t>(table, ".rn"), ...);
  (convert<Real, std::uint32_t>(table, ".rn"), ...);
  (convert<Real, std::int64_t>(table, ".rn"), ...);
  (convert<std::int32_t, Real, Truncate>(table, ".rzi"), ...);
  (convert<std::int64_t, Real, Truncate>(table, ".rzi"), ...);
  (convert<Real, Real, Saturate>(table, ".sat"), ...);
}

void add_conversions(Operations& table) {
  convert_integers<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t>(table);
  convert_reals<float, double>(table);
  convert<double, float>(table);
  convert<float, double>(table, ".rn");
  // addresses: of global memory they are generic ones
  for (const char* name : {"cvta.to.global.u64", "cvta.global.u64"})
    table.emplace(name, run<Same, std::uint64_t, std::uint64_t>);
}

void add_integers(Operations& table) {
  using i16 = std::int16_t;
  using i32 = std::int32_t;
  using i64 = std::int64_t;
  using u16 = std::uint16_t;
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  binary<Add, i16, i32, i64, u16, u32, u64>(table, "add");
  binary<Subtract, i16, i32, i64, u16, u32, u64>(table, "sub");
  binary<Multiply, i16, i32, i64, u16, u32, u64>(table, "mul.lo");
  ternary<MultiplyAdd, i16, i32, i64, u16, u32, u64>(table, "mad.lo");
  binary<Divide, i32, i64, u32, u64>(table, "div");
  binary<Remainder, i32, i64, u32, u64>(table, "rem");
  binary<Least, i16, i32, i64, u16, u32, u64>(table, "min");
  binary<Greatest, i16, i32, i64, u16, u32, u64>(table, "max");
  unary<Negative, i16, i32, i64>(table, "neg");
  unary<Absolute, i32, i64>(table, "abs");
  table.emplace("mul.wide.s32", run<WideProduct<i64>, i64, i32, i32>);
  table.emplace("mul.wide.u32", run<WideProduct<u64>, u64, u32, u32>);
  shift<ShiftRight, i16, i32, i64, u16, u32, u64>(table, "shr");
  table.emplace("shl.b16", run<ShiftLeft, u16, u16, u32>);
  table.emplace("shl.b32", run<ShiftLeft, u32, u32, u32>);
  table.emplace("shl.b64", run<ShiftLeft, u64, u64, u32>);
  table.emplace("popc.b32", run<Bits, u32, u32>);
  table.emplace("bfi.b32", run<InsertBits, u32, u32, u32, u32, u32>);
  binary_bits<And>(table, "and");
  binary_bits<Or>(table, "or");
  binary_bits<Xor>(table, "xor");
  unary_bits<Not>(table, "not");
  unary_bits<Same>(table, "mov");
  unary<Same, i16, i32, i64, u16, u32, u64, float, double>(table, "mov");
  table.emplace("cvta.shared.u64", run<GenericOfShared, u64, u64>);
}

void add_reals(Operations& table) {
  for (const char* rounding : {"", ".rn"}) {
    binary<Add, float, double>(table, std::string("add") + rounding);
    binary<Subtract, float, double>(table, std::string("sub") + rounding);
    binary<Multiply, float, double>(table, std::string("mul") + rounding);
  }
  ternary<FusedMultiplyAdd, float, double>(table, "fma.rn");
  table.emplace("fma.rm.f32", run<FusedTowardsMinus, float, float, float, float>);
  binary<Divide, float, double>(table, "div.rn");
  unary<Reciprocal, float, double>(table, "rcp.rn");
  unary<SquareRoot, float, double>(table, "sqrt.rn");
  unary<InverseRoot, float, double>(table, "rsqrt.approx");
  unary<Rough<Reciprocal>, double>(table, "rcp.approx.ftz");
  unary<Rough<InverseRoot>, double>(table, "rsqrt.approx.ftz");
  unary<PowerOfTwo, float>(table, "ex2.approx.ftz");
  unary<Negative, float, double>(table, "neg");
  unary<Absolute, float, double>(table, "abs");
  binary<Least, float, double>(table, "min");
  binary<Greatest, float, double>(table, "max");
}

}  // namespace

const Operations& arithmetic() {
  static const Operations table = [] {
    Operations made;
    add_integers(made);
    add_reals(made);
    add_comparisons(made);
    add_conversions(made);
    return made;
  }();
  return table;
}

}  // namespace ptx
