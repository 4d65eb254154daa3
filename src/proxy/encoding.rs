//! Bodies that are compressed. Only copies are decoded: what is forwarded keeps its bytes.

use std::io::{self, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The decoded bytes of a body with this `content-encoding`; `limit` is the most bytes that are decoded.
///
/// # Errors
/// The encoding is unknown, the body is damaged, or it is longer.
pub(super) fn decoded(encoding: &str, body: &[u8], limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = body.to_vec();
    // The last encoding was applied last.
    for encoding in encoding.split(',').rev().map(|name| name.trim().to_ascii_lowercase()) {
        bytes = match encoding.as_str() {
            "" | "identity" => bytes,
            "gzip" | "x-gzip" => limited(MultiGzDecoder::new(bytes.as_slice()), limit)?,
            // Some clients leave out the frame that the standard asks for.
            "deflate" => limited(ZlibDecoder::new(bytes.as_slice()), limit)
                .or_else(|_| limited(DeflateDecoder::new(bytes.as_slice()), limit))?,
            "zstd" => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(bytes.as_slice());
                limited(decoder.map_err(io::Error::other)?, limit)?
            }
            "br" => limited(brotli_decompressor::Decompressor::new(bytes.as_slice(), 4096), limit)?,
            other => return Err(io::Error::other(format!("unknown encoding `{other}`"))),
        };
    }
    Ok(bytes)
}

fn limited(reader: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit { Err(io::Error::other("it is too long")) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn encodings_are_undone_in_their_order() {
        assert_eq!(decoded("gzip", &gzip(b"text"), 9).expect("text"), b"text");
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&gzip(b"text")).expect("memory");
        let twice = encoder.finish().expect("memory");
        assert_eq!(decoded("gzip, deflate", &twice, 99).expect("text"), b"text");
        assert_eq!(decoded("identity", b"text", 4).expect("text"), b"text");
        let zstd = ruzstd::encoding::compress_to_vec(b"text".as_slice(), ruzstd::encoding::CompressionLevel::Fastest);
        assert_eq!(decoded("zstd", &zstd, 9).expect("text"), b"text");
    }

    #[test]
    fn a_body_that_would_be_too_long_is_not_decoded() {
        let bomb = gzip(&vec![0; 1 << 20]);
        assert!(bomb.len() < 1 << 16);
        assert!(decoded("gzip", &bomb, 1 << 16).is_err());
        assert!(decoded("br", b"\xff\xff\xff", 9).is_err());
        assert!(decoded("compress", b"", 9).is_err());
    }
}
