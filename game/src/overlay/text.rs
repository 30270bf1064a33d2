//! In: numbers. Out: the same as text of equal width, with units.
//! Never knows: where it is shown.

/// Milliseconds, eight characters.
pub fn ms(value: f64) -> String {
    match value {
        value if value >= 1000.0 => format!("{value:8.0}"),
        value if value >= 100.0 => format!("{value:8.1}"),
        value => format!("{value:8.3}"),
    }
}

/// Milliseconds if there are any.
pub fn maybe_ms(value: Option<f64>) -> String {
    value.map_or_else(|| format!("{:>8}", "-"), ms)
}

/// A count with its thousands apart.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes as MiB.
pub fn mib(bytes: u64) -> String {
    let mib = bytes as f64 / f64::from(1 << 20);
    if mib < 10.0 { format!("{mib:.2} MiB") } else { format!("{} MiB", count(mib.round() as u64)) }
}

/// Metres, or kilometres.
pub fn metres(value: f64) -> String {
    if value.abs() < 10_000.0 { format!("{value:.0} m") } else { format!("{:.1} km", value / 1000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_width_and_their_unit() {
        assert_eq!([0.0, 0.0127, 16.6666, 123.46, 12_345.6].map(ms), ["   0.000", "   0.013", "  16.667", "   123.5", "   12346"]);
        assert_eq!([maybe_ms(None), maybe_ms(Some(1.0))], ["       -", "   1.000"]);
        assert_eq!([0, 7, 999, 1_000, 1_234_567].map(count), ["0", "7", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 1 << 19, 3 << 20, 5 << 30].map(mib), ["0.00 MiB", "0.50 MiB", "3.00 MiB", "5,120 MiB"]);
        assert_eq!([512.4, -9_999.0, 16_000.0].map(metres), ["512 m", "-9999 m", "16.0 km"]);
    }
}
