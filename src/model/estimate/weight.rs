//! The weights of the estimate, by the class of a byte and the class of the preceding byte.
//!
//! The weights were fitted to the counts of the `o200k` tokenizer (non-negative least squares on relative errors) on
//! recorded agent sessions, source code and texts in about twenty-five languages.

/// The class of UTF-8 continuation bytes, which have no weight.
const CONTINUATION: usize = 17;

/// The largest weight, in 1/1024 token.
#[cfg(test)]
pub(super) const MAX_WEIGHT: u64 = 2048;

/// The class of a byte. Letters are classified by frequency, since rare letters split words into more tokens.
const fn class(byte: u8) -> usize {
    match byte {
        b' ' => 1,
        b'\n' => 2,
        b'\t' | b'\r' => 3,
        b'a' | b'e' | b'i' | b'o' | b'u' => 4,
        b't' | b'n' | b's' | b'r' | b'l' | b'c' | b'd' => 5,
        b'm' | b'p' | b'h' | b'g' | b'b' | b'f' | b'y' | b'w' => 6,
        b'a'..=b'z' => 7,
        b'A'..=b'Z' => 8,
        b'0'..=b'9' => 9,
        b'.' | b',' => 10,
        b'"' | b'\'' | b'`' => 11,
        b'/' | b'\\' => 12,
        b'_' | b'-' => 13,
        b'(' | b'[' | b'{' | b'<' => 14,
        b')' | b']' | b'}' | b'>' | b';' | b':' => 15,
        b'!'..=b'~' => 16,
        0..=0x1f | 0x7f => 0,
        0x80..=0xbf => 17,
        // Accented Latin, Greek and Cyrillic, Hebrew and Arabic, Indic and other scripts, symbols, kana, Han, Hangul,
        // full-width forms, and characters of four bytes.
        0xc0..=0xca => 18,
        0xcb..=0xd4 => 19,
        0xd5..=0xdf => 20,
        0xe0 | 0xe1 => 21,
        0xe2 => 22,
        0xe3 => 23,
        0xe4..=0xe9 => 24,
        0xea..=0xed => 25,
        0xee | 0xef => 26,
        0xf0..=0xff => 27,
    }
}

/// The weight of an ASCII byte in 1/1024 token: one row per class of the preceding byte, the last row for all non-ASCII
/// bytes.
const ASCII: [[u16; 17]; 18] = [
    [1070, 12, 136, 106, 151, 166, 545, 990, 750, 848, 21, 580, 669, 80, 1964, 3, 84],
    [1165, 8, 996, 454, 472, 321, 369, 1485, 101, 1586, 1117, 970, 993, 935, 810, 215, 361],
    [1154, 1272, 70, 1056, 732, 1311, 940, 1377, 550, 754, 474, 952, 514, 1699, 1650, 0, 1001],
    [1061, 947, 0, 66, 598, 272, 351, 586, 955, 1627, 91, 1369, 799, 145, 2048, 314, 938],
    [1026, 604, 1992, 918, 138, 0, 0, 211, 928, 1053, 820, 454, 1451, 1263, 384, 802, 837],
    [1110, 399, 1354, 1824, 65, 19, 114, 617, 671, 1019, 677, 388, 254, 931, 617, 729, 807],
    [722, 226, 469, 467, 27, 182, 318, 1007, 1044, 983, 613, 539, 800, 906, 884, 723, 638],
    [1048, 260, 1101, 345, 0, 192, 134, 949, 819, 894, 330, 225, 1174, 544, 1049, 96, 722],
    [1094, 543, 946, 557, 414, 540, 512, 964, 443, 1057, 405, 380, 1235, 0, 994, 132, 374],
    [1040, 306, 1002, 111, 829, 911, 880, 1260, 959, 285, 1049, 652, 1994, 796, 2029, 913, 761],
    [1111, 673, 388, 104, 453, 13, 422, 167, 0, 911, 18, 775, 88, 1531, 1174, 394, 431],
    [1053, 639, 0, 195, 888, 301, 587, 715, 357, 572, 350, 132, 675, 310, 1163, 139, 0],
    [1076, 0, 0, 262, 542, 711, 923, 689, 708, 911, 373, 265, 65, 2048, 1696, 0, 360],
    [1057, 45, 99, 636, 207, 346, 487, 1398, 486, 1182, 0, 124, 406, 6, 2014, 1301, 650],
    [1053, 0, 0, 108, 529, 363, 678, 998, 273, 591, 260, 156, 0, 468, 511, 0, 318],
    [1079, 672, 214, 949, 1278, 1168, 1084, 1232, 625, 540, 300, 427, 0, 18, 781, 46, 300],
    [1036, 549, 675, 214, 778, 1453, 1084, 1434, 381, 636, 939, 256, 542, 893, 493, 374, 18],
    [1118, 212, 825, 0, 0, 0, 0, 266, 668, 1159, 251, 0, 618, 61, 2048, 719, 321],
];

/// The weight of a non-ASCII character after an ASCII byte, by the class of its first byte, from class 18.
const NON_ASCII: [u16; 10] = [1419, 1385, 922, 0, 1510, 814, 1069, 919, 1115, 2048];

/// The weight of a non-ASCII character after another one.
const NON_ASCII_REPEATED: [u16; 10] = [403, 102, 143, 438, 55, 658, 819, 518, 737, 2048];

/// The weight of a byte of this class after one of class `previous`.
const fn weight(previous: usize, class: usize) -> u16 {
    let after_non_ascii = previous >= CONTINUATION;
    if class < CONTINUATION {
        ASCII[if after_non_ascii { CONTINUATION } else { previous }][class]
    } else if class == CONTINUATION || class > CONTINUATION + NON_ASCII.len() {
        0
    } else {
        let table = if after_non_ascii { NON_ASCII_REPEATED } else { NON_ASCII };
        table[class - CONTINUATION - 1]
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

/// The class of each byte.
const CLASSES: [usize; 256] = {
    let mut classes = [0; 256];
    let mut byte: u8 = 0;
    loop {
        classes[byte as usize] = class(byte);
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

/// The weight of each pair of bytes in 1/1024 token. One look-up in a large table is faster than three in small ones.
pub(super) static PAIRS: [u16; 1 << 16] = {
    let mut table = [0; 1 << 16];
    let mut pair: u16 = 0;
    loop {
        let [previous, byte] = pair.to_le_bytes();
        table[pair as usize] = weight(CLASSES[previous as usize], CLASSES[byte as usize]);
        if pair == u16::MAX {
            break table;
        }
        pair += 1;
    }
};
