//! In: numbers and texts. Out: bytes, and those as letters; and back. What is wrong is said in words.
//! Never knows: what they mean.

/// base64url, RFC 4648, section 5.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Writes bytes one after the other.
#[derive(Default)]
pub(super) struct Writer {
    pub bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn unsigned(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    pub(super) fn signed(&mut self, number: i64) {
        self.unsigned((number << 1 ^ number >> 63) as u64);
    }

    pub(super) fn f32(&mut self, number: f32) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.unsigned(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

/// Reads them again.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (taken, rest) = self.bytes.split_first_chunk().ok_or("a value ends too early")?;
        self.bytes = rest;
        Ok(*taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, String> {
        self.take::<1>().map(|[byte]| byte)
    }

    pub(super) fn unsigned(&mut self) -> Result<u64, String> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                break;
            }
            number |= part << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a number has more than 64 bits".to_owned())
    }

    pub(super) fn signed(&mut self) -> Result<i64, String> {
        self.unsigned().map(|number| (number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(super) fn f32(&mut self) -> Result<f32, String> {
        self.take().map(f32::from_le_bytes)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, String> {
        let length = self.unsigned()?;
        let length = usize::try_from(length).ok().filter(|length| *length <= self.bytes.len()).ok_or("a text ends too early")?;
        let (text, rest) = self.bytes.split_at(length);
        self.bytes = rest;
        std::str::from_utf8(text).map_err(|_| "a text is not UTF-8".to_owned())
    }
}

/// Three bytes become four letters.
pub(super) fn encode(bytes: &[u8]) -> String {
    let letters = bytes.chunks(3).flat_map(|group| {
        let word = group.iter().enumerate().fold(0u32, |word, (index, byte)| word | u32::from(*byte) << (16 - 8 * index));
        (0..=group.len()).map(move |index| char::from(LETTERS[(word >> (18 - 6 * index) & 63) as usize]))
    });
    letters.collect()
}

/// The bytes, and whether the letters are whole ones: a letter or bits left over mean that some are missing.
pub(super) fn decode(letters: &str) -> Result<(Vec<u8>, bool), String> {
    let value = |(index, letter): (usize, char)| {
        let found = LETTERS.iter().position(|known| char::from(*known) == letter);
        found.map(|value| value as u32).ok_or_else(|| format!("its character {} is '{letter}'; allowed are letters, digits, '-' and '_'", index + 4))
    };
    let values = letters.chars().enumerate().map(value).collect::<Result<Vec<u32>, String>>()?;
    let mut bytes = Vec::with_capacity(values.len() * 3 / 4);
    let mut whole = true;
    for group in values.chunks(4) {
        let word = group.iter().enumerate().fold(0, |word, (index, value)| word | value << (18 - 6 * index));
        let count = group.len() - 1;
        bytes.extend_from_slice(&word.to_be_bytes()[1..=count]);
        // Of 24 bits, those behind the last byte are none.
        whole &= count > 0 && word & ((1 << (24 - 8 * count)) - 1) == 0;
    }
    Ok((bytes, whole))
}
