//! In: Rust text. Out: the same text with comments and the insides of strings blanked, byte for byte in place. A lexer, not a parser.

/// Blanks what is not code with spaces. Newlines stay, so lines and offsets hold.
pub fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => line_end(bytes, at),
            b'/' if bytes[at..].starts_with(b"/*") => comment_end(bytes, at),
            b'"' => string_end(bytes, at),
            b'r' if !in_word(bytes, at) => raw_string_end(bytes, at).unwrap_or(at),
            b'\'' => char_end(bytes, at).unwrap_or(at),
            _ => at,
        };
        out[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end.max(at + 1);
    }
    // Whole comments and strings were blanked, so what is left is still UTF-8.
    String::from_utf8_lossy(&out).into_owned()
}

/// Offsets of `word` where it stands alone.
pub fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let after = code.as_bytes().get(at + word.len());
        !in_word(code.as_bytes(), *at) && !after.is_some_and(|byte| is_word(*byte))
    })
}

/// Line of an offset, from 1.
pub fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn in_word(bytes: &[u8], at: usize) -> bool {
    // The `b` of a raw byte string does not make `r` part of a word.
    match at {
        0 => false,
        1 => is_word(bytes[0]) && bytes[0] != b'b',
        _ => is_word(bytes[at - 1]) && (bytes[at - 1] != b'b' || is_word(bytes[at - 2])),
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn comment_end(bytes: &[u8], at: usize) -> usize {
    let (mut depth, mut end) = (0, at);
    while end < bytes.len() {
        if bytes[end..].starts_with(b"/*") {
            (depth, end) = (depth + 1, end + 2);
        } else if bytes[end..].starts_with(b"*/") {
            (depth, end) = (depth - 1, end + 2);
            if depth == 0 {
                break;
            }
        } else {
            end += 1;
        }
    }
    end.min(bytes.len())
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != b'"' {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    (end + 1).min(bytes.len())
}

fn raw_string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
    let start = at + 1 + hashes;
    if bytes.get(start) != Some(&b'"') {
        return None;
    }
    let mut end = start + 1;
    while end < bytes.len() {
        if bytes[end] == b'"' && bytes[end + 1..].iter().take(hashes).filter(|byte| **byte == b'#').count() == hashes {
            return Some(end + 1 + hashes);
        }
        end += 1;
    }
    Some(bytes.len())
}

/// End of a character; `None` for a lifetime.
fn char_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at + 1..)?;
    if rest.first() == Some(&b'\\') {
        let length = rest.iter().skip(2).position(|byte| *byte == b'\'')?;
        return Some(at + 1 + 2 + length + 1);
    }
    let first = std::str::from_utf8(&rest[..rest.len().min(4)])
        .map_or_else(|error| std::str::from_utf8(&rest[..error.valid_up_to()]).ok().and_then(|text| text.chars().next()), |text| text.chars().next())?;
    (rest.get(first.len_utf8()) == Some(&b'\'')).then_some(at + first.len_utf8() + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_no_code() {
        for (text, kept) in [
            ("a // b\nc", "ac"),
            ("a /* b /* c */ d */ e", "ae"),
            (r#"a "b \" c" d"#, "ad"),
            ("a r##\"b \"# c\"## d", "ad"),
            ("a br\"b\" d", "abd"),
            ("'\"' a '\\'' b '\\u{41}'", "ab"),
            ("f<'a>(x: &'a str)", "f<'a>(x:&'astr)"),
            ("'ß' a", "a"),
            ("for \"x\"", "for"),
        ] {
            let code = code_only(text);
            assert_eq!(code.len(), text.len(), "{text}");
            assert_eq!(code.split_whitespace().collect::<String>(), kept, "{text}");
        }
    }

    #[test]
    fn a_word_stands_alone() {
        assert_eq!(words("unsafe_code unsafe{} an_unsafe b(unsafe)", "unsafe").collect::<Vec<_>>(), [12, 33]);
    }
}
