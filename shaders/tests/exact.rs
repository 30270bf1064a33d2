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

/// Breaks of the rules in a module, each in words.
fn broken_rules(words: &[u32]) -> Vec<String> {
    let instructions = instructions(words);
    let is_exact = |id: u32| instructions.iter().any(|(code, operands)| *code == DECORATE && **operands == [id, NO_CONTRACTION]);
    // Operands: result type, result, arguments.
    let broken = |(code, operands): &(u32, &[u32])| {
        let forbidden = FORBIDDEN.iter().find(|(forbidden, _)| forbidden == code);
        if let Some((_, what)) = forbidden {
            return Some(format!("%{} is computed by {what}; it may differ from the CPU's", operands[1]));
        }
        let may_fuse = ALLOWED.contains(code) && !is_exact(operands[1]);
        may_fuse.then(|| format!("%{} may be fused; put it through a `precise` variable", operands[1]))
    };
    instructions.iter().filter_map(broken).collect()
}

#[test]
fn exact_shaders_have_only_operations_that_every_driver_rounds_alike() {
    for name in EXACT {
        let words = spirv(name).expect("it is built in");
        assert_eq!(broken_rules(&words), [""; 0], "{name}");
        assert!(instructions(&words).iter().filter(|(code, _)| ALLOWED.contains(code)).count() > 100, "{name} computes something");
    }
}

#[test]
fn what_may_be_fused_or_is_a_function_of_the_driver_is_found() {
    let mut words = spirv("field.comp").expect("it is built in");
    let is_decoration = |at: &usize| words[*at] == 3 << 16 | DECORATE && words[at + 2] == NO_CONTRACTION;
    let first = (5..words.len() - 2).find(is_decoration).expect("an exact operation");
    words[first + 2] = 0; // RelaxedPrecision
    assert_eq!(broken_rules(&words).len(), 1);
    assert!(!broken_rules(&spirv("sky.frag").expect("it is built in")).is_empty(), "a shader for looks keeps no such rules");
}
