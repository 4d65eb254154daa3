//! The dimensions of an image, read from the header in its base64 data.
//!
//! [`size`] supports PNG, JPEG, GIF and WebP. It decodes no more of the data than the header, and at most
//! [`MAX_JPEG_HEADER`] bytes.

use trimtab_base::conversation::ImageSize;

/// The bytes that contain the dimensions in every format except JPEG.
const HEADER: usize = 32;

/// The bytes in which the frame header of a JPEG must lie. It follows metadata in segments of up to 64 KiB.
const MAX_JPEG_HEADER: usize = 512 * 1024;

/// The dimensions of an image, or `None` when its header is of an unknown format or incomplete.
pub(super) fn size(base64: &str) -> Option<ImageSize> {
    let header = decode(base64, HEADER);
    let (width, height) = match header.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => (u32_be(&header, 16)?, u32_be(&header, 20)?),
        [b'G', b'I', b'F', b'8', ..] => (u32::from(u16_le(&header, 6)?), u32::from(u16_le(&header, 8)?)),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp(&header)?,
        [0xFF, 0xD8, ..] => jpeg(&decode(base64, MAX_JPEG_HEADER))?,
        _ => return None,
    };
    (width > 0 && height > 0).then_some(ImageSize { width, height })
}

/// Decodes the first `limit` bytes of base64 text in the standard or the URL-safe alphabet, skipping white space.
fn decode(base64: &str, limit: usize) -> Vec<u8> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0u32);
    for digit in base64.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let Some(value) = digit_value(digit).filter(|_| bytes.len() < limit) else { break };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xFF).try_into().unwrap_or_default());
        }
    }
    bytes
}

const fn digit_value(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

/// The three kinds of WebP: lossy, lossless and extended.
fn webp(header: &[u8]) -> Option<(u32, u32)> {
    match header.get(12..16)? {
        b"VP8 " => Some((u32::from(u16_le(header, 26)? & 0x3FFF), u32::from(u16_le(header, 28)? & 0x3FFF))),
        b"VP8L" => {
            let bits = u32_le(header, 21)?;
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        b"VP8X" => Some(((u32_le(header, 24)? & 0xFF_FFFF) + 1, (u32_le(header, 26)? >> 8) + 1)),
        _ => None,
    }
}

/// The dimensions in the frame header of a JPEG, which follows other segments.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        match (bytes.get(at)?, bytes.get(at + 1)?) {
            // A fill byte.
            (0xFF, 0xFF) => at += 1,
            // A marker without a segment.
            (0xFF, 0x01 | 0xD0..=0xD8) => at += 2,
            (0xFF, 0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF) => {
                return Some((u32::from(u16_be(bytes, at + 7)?), u32::from(u16_be(bytes, at + 5)?)));
            }
            // The scan or the end of the image, without a frame header before it.
            (0xFF, 0xDA | 0xD9) => return None,
            (0xFF, _) => at += 2 + usize::from(u16_be(bytes, at + 2)?).max(2),
            _ => return None,
        }
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

fn u16_be(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_be_bytes)
}

fn u16_le(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_le_bytes)
}

fn u32_be(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_be_bytes)
}

fn u32_le(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    fn base64(bytes: &[u8]) -> String {
        let mut out = String::new();
        for chunk in bytes.chunks(3) {
            let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
            for at in 0..4 {
                let digit = DIGITS[usize::try_from(bits >> (18 - 6 * at) & 63).expect("six bits")];
                out.push(if at > chunk.len() { '=' } else { char::from(digit) });
            }
        }
        out
    }

    fn concat(pieces: &[&[u8]]) -> Vec<u8> {
        pieces.concat()
    }

    /// The header of an image in each format; `padding` is the length of the metadata before a JPEG's frame header.
    fn images(width: u16, height: u16, padding: u16) -> Vec<Vec<u8>> {
        let (wide, high) = (u32::from(width), u32::from(height));
        let minus = |side: u32| (side - 1).to_le_bytes();
        let lossless = ((wide - 1) | (high - 1) << 14).to_le_bytes();
        let metadata = concat(&[&[0xFF, 0xE1], &(padding + 2).to_be_bytes(), &vec![7; padding.into()]]);
        vec![
            concat(&[b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &wide.to_be_bytes(), &high.to_be_bytes(), &[8, 6, 0, 0, 0]]),
            concat(&[b"GIF89a", &width.to_le_bytes(), &height.to_le_bytes(), &[0; 20]]),
            concat(&[b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a", &width.to_le_bytes(), &height.to_le_bytes()]),
            concat(&[b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f", &lossless, &[0; 9]]),
            concat(&[b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0", &minus(wide)[..3], &minus(high)[..3], &[0; 9]]),
            concat(&[
                &[0xFF, 0xD8],
                &metadata,
                &[0xFF, 0xFF, 0xC2, 0, 17, 8],
                &height.to_be_bytes(),
                &width.to_be_bytes(),
                &[0; 9],
            ]),
        ]
    }

    proptest! {
        #[test]
        fn the_dimensions_of_every_format_are_read(width in 1u16..0x3FFF, height in 1u16..0x3FFF, padding in 0u16..60_000) {
            let size = Some(ImageSize { width: width.into(), height: height.into() });
            for image in images(width, height, padding) {
                let text = base64(&image);
                prop_assert_eq!(super::size(&text), size);
                let (first, rest) = text.split_at(8);
                prop_assert_eq!(super::size(&format!("{first}\r\n {}", rest.replace('+', "-").replace('/', "_"))), size);
            }
        }

        #[test]
        fn an_incomplete_or_corrupt_header_gives_no_size(
            which in 0usize..6, length in 0usize..400, at in 0usize..60, byte in any::<u8>(), noise in "\\PC{0,90}",
        ) {
            let mut image = images(300, 200, 99).swap_remove(which);
            if let Some(one) = image.get_mut(at) {
                *one = byte;
            }
            image.truncate(length);
            prop_assert!(size(&base64(&image)).is_none_or(|size| size.width > 0 && size.height > 0));
            prop_assert_eq!(size(&noise), None);
        }
    }

    #[test]
    fn decoding_stops_at_the_limit() {
        let no_frame_header = concat(&[&[0xFF, 0xD8], &vec![0xFF; 2 * MAX_JPEG_HEADER]]);
        assert_eq!(size(&base64(&no_frame_header)), None);
        assert_eq!(decode(&base64(&no_frame_header), 10).len(), 10);
    }
}
