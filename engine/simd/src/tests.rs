//! Every operation of every instruction set against the scalar one, bit for bit.

use crate::*;
use proptest::prelude::*;

/// Sixteen of each, which every instruction set takes in pieces.
#[derive(Clone, Debug)]
struct Numbers {
    a: Vec<f32>,
    b: Vec<f32>,
    u: Vec<u32>,
    v: Vec<u32>,
}

impl Kernel for &Numbers {
    /// Name of an operation, and the bits of its results.
    type Out = Vec<(&'static str, Vec<u32>)>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Out {
        let mut results: Self::Out = Vec::new();
        for at in (0..LANES_MAX).step_by(S::LANES) {
            let (a, b) = (s.load(&self.a[at..]), s.load(&self.b[at..]));
            let (u, v) = (s.load_u32(&self.u[at..]), s.load_u32(&self.v[at..]));
            let table: [f32; 16] = self.a[..16].try_into().expect("sixteen");
            let halves: [f32; 16] = std::array::from_fn(|i| table[i % 8]);
            let bit = |mask| s.select_u32(mask, s.u32(1), s.u32(0));
            let wide = s.mul_wide(u, v);
            let start = self.u[0].wrapping_add(self.v[0].wrapping_mul(at as u32));
            let (start64, step64) = (u64::from(self.u[0]) << 31, u64::from(self.v[0]) << 20);
            let ramp64 = s.ramp64(start64.wrapping_add(step64.wrapping_mul(at as u64)), step64);
            let outcomes = [
                ("a + b", s.to_bits(a + b)),
                ("a - b", s.to_bits(a - b)),
                ("a * b", s.to_bits(a * b)),
                ("a / b", s.to_bits(s.select(s.less(b * b, s.f32(1e-3)), a, s.div(a, b)))),
                ("sqrt", s.to_bits(s.sqrt(a * a))),
                ("u + v", u + v),
                ("u - v", u - v),
                ("u * v", u * v),
                ("u & v", u & v),
                ("u | v", u | v),
                ("u ^ v", u ^ v),
                ("splats", s.to_bits(s.f32(self.a[0])) ^ s.u32(self.u[0])),
                ("ramp", s.ramp(start, self.v[0])),
                ("floor", s.to_bits(s.floor(a))),
                ("to_i32", s.to_i32(b)),
                ("truncate", s.truncate(a)),
                ("to_f32", s.to_bits(s.to_f32(u))),
                ("bits_to_f32", s.to_bits(s.bits_to_f32(u & s.u32(0x7f7f_ffff)))),
                ("shl", s.shl(u, 7)),
                ("shr", s.shr(u, 31)),
                ("sar", s.sar(u, 3)),
                ("shr_each", s.shr_each(u, v & s.u32(31))),
                ("mul_wide high", s.high(wide)),
                ("mul_wide low", s.low(wide)),
                ("sar64 high", s.high(s.sar64(wide, 16))),
                ("sar64 low", s.low(s.sar64(wide, 16))),
                ("shr64_each high", s.high(s.shr64_each(wide, s.ramp64(1 + 3 * at as u64, 3)))),
                ("shr64_each low", s.low(s.shr64_each(wide, s.ramp64(1 + 3 * at as u64, 3)))),
                ("u64 high", s.high(ramp64 + wide - s.u64(start64))),
                ("u64 low", s.low(ramp64 + wide - s.u64(start64))),
                ("less", bit(s.less(a, b))),
                ("not_below_0", s.to_bits(s.not_below_0(a))),
                ("equal", bit(s.equal(u & s.u32(1), v & s.u32(1)))),
                ("less_i32", bit(s.less_i32(u, v))),
                ("masks", bit(s.less(a, b) & s.less_i32(u, v) | !(s.less(a, b) | s.less_i32(u, v)))),
                ("select", s.to_bits(s.select(s.less_i32(u, v), a, b))),
                ("lookup", s.to_bits(s.lookup(s.table(&table), u))),
                ("lookup8", s.to_bits(s.lookup8(s.table(&halves), u))),
                ("gather", s.to_bits(s.gather(&self.a, u & s.u32(15)))),
                ("window", s.to_bits(s.window(&self.a[at..], s.ramp(0, S::LANES as u32 - 1) & s.u32(S::LANES as u32 - 1)))),
            ];
            assert_eq!(s.all(s.equal(u, u)), !s.all_zero(s.u32(1)));
            assert_eq!(s.all(s.equal(u, u + s.ramp(0, 1))), S::LANES == 1);
            assert!(s.all_zero(s.u32(0)) && s.first(u) == self.u[at]);
            for (index, (name, vector)) in outcomes.into_iter().enumerate() {
                if results.len() == index {
                    results.push((name, vec![]));
                }
                let mut bits = [0; LANES_MAX];
                s.store_u32(vector, &mut bits);
                // What a window holds depends on the width: only its first lane is the same.
                results[index].1.extend_from_slice(&bits[..if name == "window" { 0 } else { S::LANES }]);
            }
        }
        results
    }
}

fn values() -> impl Strategy<Value = Vec<f32>> {
    let value = prop_oneof![-1e3f32..1e3, -3e9f32..3e9, Just(0.0), Just(-0.0), Just(-1.0), Just(0.999_999_94)];
    proptest::collection::vec(value, 16)
}

fn words() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(prop_oneof![any::<u32>(), Just(0), Just(1), Just(u32::MAX), Just(1 << 31)], 16)
}

proptest! {
    #[test]
    fn every_operation_gives_the_bits_of_the_scalar_one((mut a, b, u, v) in (values(), values(), words(), words())) {
        // `floor` takes |value| < 2^31.
        a.iter_mut().for_each(|a| if a.abs() >= 2e9 { *a *= 0.5 });
        let numbers = Numbers { a, b, u, v };
        let expected = Isa::Scalar.run(&numbers);
        for isa in Isa::supported() {
            for (result, expected) in isa.run(&numbers).into_iter().zip(&expected) {
                prop_assert_eq!(&result, expected, "{}", isa);
            }
        }
    }
}

#[test]
fn conversions_stay_within_i32() {
    struct Convert;
    impl Kernel for Convert {
        type Out = Vec<i32>;
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Vec<i32> {
            let values = [f32::MAX, f32::INFINITY, 2_147_483_648.0, 2_147_483_520.0, -2_147_483_648.0, f32::MIN, f32::NEG_INFINITY, -0.99];
            let mut out = vec![0; 8];
            for (from, to) in values.chunks(S::LANES).zip(out.chunks_mut(S::LANES)) {
                s.store_part_i32(s.to_i32(s.load_part(from)), to);
            }
            out
        }
    }
    for isa in Isa::supported() {
        assert_eq!(isa.run(Convert), [i32::MAX, i32::MAX, i32::MAX, 2_147_483_520, i32::MIN, i32::MIN, i32::MIN, 0], "{isa}");
    }
}

#[test]
fn parts_leave_what_is_behind_them_alone() {
    struct Parts(usize);
    impl Kernel for Parts {
        type Out = [f32; 40];
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> [f32; 40] {
            let from: Vec<f32> = (1..=self.0).map(|i| i as f32).collect();
            let mut out = [-1.0; 40];
            for (from, to) in from.chunks(S::LANES).zip(out[..self.0].chunks_mut(S::LANES)) {
                s.store_part(s.load_part(from), to);
            }
            out
        }
    }
    for isa in Isa::supported() {
        for len in 0..40 {
            assert!(isa.run(Parts(len)).iter().enumerate().all(|(i, value)| *value == if i < len { i as f32 + 1.0 } else { -1.0 }), "{isa} {len}");
        }
    }
}

#[test]
fn plain_loops_run_too() {
    let values: Vec<u32> = (0..1000).collect();
    for isa in Isa::ALL {
        assert_eq!(
            isa.run_plain(
                #[inline(always)]
                || values.iter().map(|value| value * value).sum::<u32>()
            ),
            332_833_500
        );
    }
}

#[test]
fn names_are_parsed_and_refused_clearly() {
    for isa in Isa::supported() {
        assert_eq!(Isa::parse(&isa.to_string()), Ok(isa));
    }
    assert_eq!(Isa::parse("auto"), Ok(Isa::detect()));
    let told = Isa::parse("sse9").expect_err("no such name").to_string();
    assert_eq!(told, "there is no instruction set 'sse9'; known are auto, scalar, avx2, avx512");
    let error = IsaError::Unsupported { wanted: Isa::Avx512, widest: Isa::Avx2 };
    assert_eq!(error.to_string(), "this processor has no avx512; its widest instruction set is avx2");
    assert_eq!(Isa::choose(Isa::chosen()), Isa::chosen());
}

#[test]
fn buffers_begin_on_a_cache_line_and_keep_what_they_hold() {
    let mut buffer = Aligned::default();
    assert!(buffer.is_empty());
    buffer.resize(17);
    assert_eq!((buffer.len(), buffer.as_ptr() as usize % 64), (32, 0));
    buffer[16] = 3.0;
    buffer.resize(100);
    assert_eq!((buffer.len(), buffer[16], buffer[99]), (112, 3.0, 0.0));
}

/// What [`Rows`] gives for rows of 64, all in one list.
struct RowResults<'a> {
    bytes: [&'a [u8; 64]; 2],
    words: [&'a [u16; 64]; 2],
    floats: &'a [f32; 64],
    masks: [u64; 2],
}

impl Kernel for RowResults<'_> {
    type Out = (Vec<u64>, [u8; 64]);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Out {
        let [a, b] = self.bytes.map(|bytes| s.load_counters(bytes));
        let signed = self.words[0].map(|word| word as i16);
        let answers = vec![
            s.equal_counters(a, b),
            s.equal_counters(a, s.counters()),
            s.equal_next(a) << 1,
            s.same_u8(self.bytes[0], self.bytes[1]),
            s.same_u16(self.words[0], self.words[1]),
            s.below_zero_f32(self.floats),
            s.below_zero_i16(&signed),
        ];
        let mut counted = [0; 64];
        s.store_counters(s.count(a, self.masks[0], self.masks[1] & !self.masks[0]), &mut counted);
        (answers, counted)
    }
}

proptest! {
    #[test]
    fn rows_give_what_a_loop_gives(seeds in proptest::collection::vec(any::<u32>(), 64), masks: [u64; 2]) {
        // Few values, so that neighbours are often equal.
        let row = |shift: u32| -> [u8; 64] { std::array::from_fn(|i| [0, 1, 1, 127, 128, 254, 0, 7][(seeds[i] >> shift & 7) as usize]) };
        let wide = |shift: u32| -> [u16; 64] { std::array::from_fn(|i| [0, 1, 256, 257, 0x8000, 0x7fff, 0xffff, 0xff][(seeds[i] >> shift & 7) as usize]) };
        let floats: [f32; 64] = std::array::from_fn(|i| [0.0, -0.0, 1.0, -1.0, 1e-40, -1e-40, f32::INFINITY, f32::NEG_INFINITY][(seeds[i] >> 12 & 7) as usize]);
        let (bytes, words) = ([row(0), row(3)], [wide(6), wide(9)]);
        let bits = |answer: &dyn Fn(usize) -> bool| (0..64).fold(0u64, |bits, i| bits | u64::from(answer(i)) << i);
        let answers = vec![
            bits(&|i| bytes[0][i] == bytes[1][i]),
            bits(&|i| bytes[0][i] == 0),
            bits(&|i| i > 0 && bytes[0][i - 1] == bytes[0][i]),
            bits(&|i| bytes[0][i] == bytes[1][i]),
            bits(&|i| words[0][i] == words[1][i]),
            bits(&|i| floats[i] < 0.0),
            bits(&|i| (words[0][i] as i16) < 0),
        ];
        let counted = std::array::from_fn(|i| match [masks[0] >> i & 1, masks[1] >> i & 1] {
            [1, _] => bytes[0][i] + 1,
            [0, 1] => 0,
            _ => bytes[0][i],
        });
        for isa in Isa::supported() {
            let found = isa.run(RowResults { bytes: [&bytes[0], &bytes[1]], words: [&words[0], &words[1]], floats: &floats, masks });
            prop_assert_eq!(&found, &(answers.clone(), counted), "{}", isa);
        }
    }
}

struct Compress<'a>(&'a [u32], &'a [u32]);

impl Kernel for Compress<'_> {
    type Out = Vec<[u32; 4]>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Out {
        let mut kept = Vec::new();
        for (from, keep) in self.0.chunks(S::LANES).zip(self.1.chunks(S::LANES)) {
            let value = s.load_u32(from);
            let values = [value, value + s.u32(1), value ^ s.u32(7), s.u32(3)];
            let (moved, count) = s.compress(s.equal(s.load_u32(keep), s.u32(1)), values);
            let mut lanes = [[0; LANES_MAX]; 4];
            for (vector, lanes) in moved.into_iter().zip(&mut lanes) {
                s.store_u32(vector, lanes);
            }
            kept.extend((0..count).map(|i| lanes.map(|lanes| lanes[i])));
        }
        kept
    }
}

proptest! {
    #[test]
    fn what_is_kept_comes_next_to_each_other_in_its_order(values in proptest::collection::vec(any::<u32>(), 16), keep in proptest::collection::vec(0u32..2, 16)) {
        let expected: Vec<_> = values.iter().zip(&keep).filter(|(_, keep)| **keep == 1).map(|(value, _)| [*value, value.wrapping_add(1), value ^ 7, 3]).collect();
        for isa in Isa::supported() {
            prop_assert_eq!(&isa.run(Compress(&values, &keep)), &expected, "{}", isa);
        }
    }
}
