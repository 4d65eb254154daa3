//! The weights of the estimate, by the class of a byte and the class of the preceding byte.
//!
//! The bytes of a class look alike to a tokenizer: rare and usual capitals, brackets, the first bytes of a script. The weights
//! were fitted to the counts of the `o200k` tokenizer (`ci/weights.py`: non-negative least squares on relative errors) on
//! recorded agent sessions, source code, data, output of tools and texts in about forty languages.

/// The largest weight, in 1/1024 token.
#[cfg(test)]
pub(super) const MAX_WEIGHT: u64 = 2048;

/// The number of classes.
const CLASSES: usize = 99;

/// The class of each byte, and the weights by the classes of the preceding byte and of the byte itself.
struct Table {
    classes: [usize; 256],
    weights: [[u16; CLASSES]; CLASSES],
}

/// Parses the table; its first lines describe the format. If the table has an error, or lacks a byte, the crate does
/// not compile.
#[expect(clippy::large_stack_arrays, reason = "the compiler runs it")]
const fn parse(text: &[u8]) -> Table {
    let mut table = Table { classes: [CLASSES; 256], weights: [[0; CLASSES]; CLASSES] };
    let (mut at, mut row) = (0, 0);
    while at < text.len() {
        if text[at] == b'#' {
            at = line_end(text, at) + 1;
            continue;
        }
        while text[at] != b'\t' {
            let first = hexadecimal(text, at);
            at += 2;
            let mut last = first;
            if text[at] == b'-' {
                last = hexadecimal(text, at + 1);
                at += 3;
            }
            let mut byte = first;
            while byte <= last {
                assert!(table.classes[byte] == CLASSES, "a byte has two classes");
                table.classes[byte] = row;
                byte += 1;
            }
            if text[at] == b',' {
                at += 1;
            }
        }
        let mut column = 0;
        while text[at] == b'\t' {
            at += 1;
            while text[at].is_ascii_digit() {
                table.weights[row][column] = table.weights[row][column] * 10 + (text[at] - b'0') as u16;
                at += 1;
            }
            column += 1;
        }
        assert!(column == CLASSES && text[at] == b'\n', "a line has another number of weights");
        at += 1;
        row += 1;
    }
    assert!(row == CLASSES, "the table has another number of classes");
    table
}

/// The offset of the end of the line that contains an offset.
const fn line_end(text: &[u8], mut at: usize) -> usize {
    while text[at] != b'\n' {
        at += 1;
    }
    at
}

/// Parses the two hexadecimal digits at an offset.
const fn hexadecimal(text: &[u8], at: usize) -> usize {
    value(text[at]) * 16 + value(text[at + 1])
}

const fn value(digit: u8) -> usize {
    match digit {
        b'0'..=b'9' => (digit - b'0') as usize,
        letter => {
            assert!(letter >= b'a' && letter <= b'f', "not a hexadecimal digit");
            (letter - b'a') as usize + 10
        }
    }
}

/// The weight of a byte after the byte before it.
pub(super) fn of(pair: [u8; 2]) -> u64 {
    u64::from(PAIRS[usize::from(u16::from_le_bytes(pair))])
}

/// The sum of the weights of the four pairs of bytes in a word.
pub(super) fn of_pairs(word: u64) -> u64 {
    let weight = |pair: u64| u64::from(PAIRS[(pair & 0xFFFF) as usize]);
    weight(word) + weight(word >> 16) + weight(word >> 32) + weight(word >> 48)
}

/// The weight of each pair of bytes in 1/1024 token. One look-up in a large table is faster than three in small ones.
pub(super) static PAIRS: [u16; 1 << 16] = {
    let table = parse(include_bytes!("weights.tsv"));
    let mut pairs = [0; 1 << 16];
    let mut pair: u16 = 0;
    loop {
        let [previous, byte] = pair.to_le_bytes();
        pairs[pair as usize] = table.weights[table.classes[previous as usize]][table.classes[byte as usize]];
        if pair == u16::MAX {
            break pairs;
        }
        pair += 1;
    }
};
