//! Server-sent events, as the HTML standard defines them.

/// Reads the data of events from bytes that may be divided anywhere.
#[derive(Debug, Default)]
pub(super) struct EventReader {
    /// The bytes of the line that has not ended.
    line: Vec<u8>,
    /// The data of the event that has not ended.
    data: Option<String>,
    /// Whether the last byte was a carriage return, so that a line feed belongs to it.
    is_after_return: bool,
    /// Whether a line has ended.
    has_begun: bool,
}

impl EventReader {
    /// Calls `dispatch` with the data of each event that ends in these bytes.
    pub(super) fn push(&mut self, bytes: &[u8], dispatch: &mut dyn FnMut(&str)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_rest_of_line_end = end == 0 && rest[0] == b'\n' && self.is_after_return;
            self.line.extend_from_slice(&rest[..end]);
            if !is_rest_of_line_end {
                self.end_line(dispatch);
            }
            self.is_after_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            self.is_after_return = false;
            self.line.extend_from_slice(rest);
        }
    }

    /// Ends the last event, whose empty line servers leave out.
    pub(super) fn finish(mut self, dispatch: &mut dyn FnMut(&str)) {
        if !self.line.is_empty() {
            self.end_line(dispatch);
        }
        self.dispatch(dispatch);
    }

    fn end_line(&mut self, dispatch: &mut dyn FnMut(&str)) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = if self.has_begun { &line } else { line.strip_prefix('\u{feff}').unwrap_or(&line) };
        self.has_begun = true;
        if line.is_empty() {
            return self.dispatch(dispatch);
        }
        let Some(value) = line.strip_prefix("data") else { return };
        let value = match value.strip_prefix(':') {
            Some(value) => value.strip_prefix(' ').unwrap_or(value),
            None if value.is_empty() => value,
            // Another field, whose name begins like this one.
            None => return,
        };
        match &mut self.data {
            Some(data) => data.extend(["\n", value]),
            None => self.data = Some(value.to_owned()),
        }
    }

    fn dispatch(&mut self, dispatch: &mut dyn FnMut(&str)) {
        if let Some(data) = self.data.take() {
            dispatch(&data);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "\u{feff}data: 1\r\n: comment\nevent: x\ndata:2\r\rdata\ndata: é\n\n\ndatax: 4\ndata: 5";

    fn events(parts: &[&[u8]]) -> Vec<String> {
        let (mut reader, mut events) = (EventReader::default(), Vec::new());
        for part in parts {
            reader.push(part, &mut |data| events.push(data.to_owned()));
        }
        reader.finish(&mut |data| events.push(data.to_owned()));
        events
    }

    #[test]
    fn events_are_read_wherever_their_bytes_are_divided() {
        let bytes = STREAM.as_bytes();
        let whole = events(&[bytes]);
        assert_eq!(whole, ["1\n2", "\né", "5"]);
        for one in 0..=bytes.len() {
            for other in one..=bytes.len() {
                assert_eq!(events(&[&bytes[..one], &bytes[one..other], &bytes[other..]]), whole, "{one} {other}");
            }
        }
    }
}
