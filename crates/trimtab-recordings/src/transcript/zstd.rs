//! Decompression of zstd, without C code.

use std::io::{Cursor, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// Decompresses the frames of a text, up to one byte more than a limit. Returns `None` if a frame is damaged.
pub(super) fn decode(packed: &[u8], limit: u64) -> Option<Vec<u8>> {
    let (mut source, mut content, mut decoder) = (Cursor::new(packed), Vec::new(), FrameDecoder::new());
    while source.position() < packed.len() as u64 {
        let mut frame = match StreamingDecoder::new_with_decoder(&mut source, &mut decoder) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                source.set_position(source.position().checked_add(length.into())?);
                continue;
            }
            Err(_) => return None,
        };
        let left = limit.saturating_add(1).checked_sub(content.len() as u64)?;
        frame.by_ref().take(left).read_to_end(&mut content).ok()?;
        if content.len() as u64 > limit {
            break;
        }
    }
    Some(content)
}
