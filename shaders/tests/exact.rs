//! In: the compiled words of the shaders that must give the bits of the CPU. Out: proof that they hold the rules of `glsl/noise.glsl`.
//! Never knows: a driver.

use terrane_shaders::spirv;

/// Shaders whose results are compared with the CPU's.
const EXACT: &[&str] = &["field.comp"];

/// Float operations that every driver rounds alike, once they are not contracted: FAdd, FSub, FMul.
const ALLOWED: [u32; 3] = [129, 131, 133];
/// FNegate, FDiv, FRem, FMod, VectorTimesScalar to Dot: forbidden, as is ExtInst, the way to min, mix, sqrt and fma.
const FORBIDDEN: [(u32, &str); 11] = [
    (12, "ExtInst"),
    (127, "FNegate"),
    (136, "FDiv"),
    (140, "FRem"),
    (141, "FMod"),
    (142, "VectorTimesScalar"),
    (143, "MatrixTimesScalar"),
    (144, "VectorTimesMatrix"),
    (145, "MatrixTimesVector"),
    (146, "MatrixTimesMatrix"),
    (148, "Dot"),
];
const DECORATE: u32 = 71;
const NO_CONTRACTION: u32 = 42;

/// Instructions after the five words of the header: code and operands.
fn instructions(words: &[u32]) -> Vec<(u32, &[u32])> {
    let mut rest = &words[5..];
    let mut list = Vec::new();
    while let Some(first) = rest.first() {
        let (instruction, after) = rest.split_at((first >> 16) as usize);
        list.push((first & 0xffff, &instruction[1..]));
        rest = after;
    }
    list
}

#[test]
fn exact_shaders_have_only_operations_that_every_driver_rounds_alike() {
    for name in EXACT {
        let words = spirv(name).expect("it is built in");
        let instructions = instructions(&words);
        let exact: Vec<u32> =
            instructions.iter().filter(|(code, operands)| *code == DECORATE && operands[1] == NO_CONTRACTION).map(|(_, operands)| operands[0]).collect();
        for (code, operands) in &instructions {
            if let Some((_, what)) = FORBIDDEN.iter().find(|(forbidden, _)| forbidden == code) {
                panic!("{name} computes %{} by {what}; its result may differ from the CPU's", operands[1]);
            }
            // Result type, result, arguments.
            let may_fuse = ALLOWED.contains(code) && !exact.contains(&operands[1]);
            assert!(!may_fuse, "{name}: %{} may be fused; put it through a `precise` variable", operands[1]);
        }
        assert!(instructions.iter().filter(|(code, _)| ALLOWED.contains(code)).count() > 100, "{name} computes something");
    }
}
