//! Server-sent events over bytes, in any cutting (WHATWG HTML, "Interpreting an event stream").
//!
//! Bytes are kept, not strings: a chunk may end inside a character. Only whole lines become text.

/// An event may be this large (bytes) before the stream counts as something else: without a bound a server
/// that never sends a blank line would fill the tab's memory.
pub const LIMIT: usize = 16 << 20;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One event. `id` and `retry` are of no use here: a reply is never resumed by reconnecting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The `event` field; empty where there was none.
    pub name: String,
    /// The `data` lines, joined by `\n`.
    pub data: String,
}

/// An event grew over the limit. The decoder takes nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Push bytes, get events.
pub struct Decoder {
    /// The line that has not ended yet.
    line: Vec<u8>,
    name: Vec<u8>,
    /// Every `data` line with a `\n` after it: empty means that there was none.
    data: Vec<u8>,
    /// The last byte was CR: a LF that follows belongs to it.
    after_cr: bool,
    /// No line has ended yet: the first may begin with a byte order mark.
    first: bool,
    limit: usize,
    broken: bool,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::with_limit(LIMIT)
    }
}

impl Decoder {
    /// A decoder that refuses events of more than `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            name: Vec::new(),
            data: Vec::new(),
            after_cr: false,
            first: true,
            limit,
            broken: false,
        }
    }

    /// Takes the next bytes and gives the events that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Result<Event, TooLarge>> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() && !self.broken {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let part = &rest[..end.unwrap_or(rest.len())];
            if self.line.len() + self.data.len() + part.len() > self.limit {
                self.broken = true;
                events.push(Err(TooLarge));
                break;
            }
            self.line.extend_from_slice(part);
            let Some(end) = end else { break };
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            events.extend(self.end_line().map(Ok));
        }
        events
    }

    /// The body ended. The standard drops an event that lacks its blank line; it is given out here,
    /// because servers and proxies do end with `data: [DONE]` and nothing after it.
    pub fn finish(&mut self) -> Option<Event> {
        if self.broken {
            return None;
        }
        let ended = if self.line.is_empty() { None } else { self.end_line() };
        ended.or_else(|| self.dispatch())
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = match std::mem::take(&mut self.first) {
            true => line.strip_prefix(BOM).unwrap_or(&line),
            false => &line,
        };
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => self.name = value.to_vec(),
            // A comment (empty field name), `id`, `retry`, or a field from the future.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        let mut data = std::mem::take(&mut self.data);
        data.pop()?;
        Some(Event { name: text(name), data: text(data) })
    }
}

/// Whole lines only come here, so a replacement character appears only where the server itself sent broken UTF-8.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<(String, String)> {
        let mut decoder = Decoder::default();
        let mut events: Vec<Event> =
            chunks.into_iter().flat_map(|chunk| decoder.push(chunk)).map(Result::unwrap).collect();
        events.extend(decoder.finish());
        events.into_iter().map(|event| (event.name, event.data)).collect()
    }

    #[track_caller]
    fn check(input: impl AsRef<[u8]>, want: &[(&str, &str)]) {
        let input = input.as_ref();
        let want: Vec<_> = want.iter().map(|(name, data)| (name.to_string(), data.to_string())).collect();
        assert_eq!(decode([input]), want, "whole");
        assert_eq!(decode(input.chunks(1)), want, "byte by byte");
        for at in 0..=input.len() {
            let (head, tail) = input.split_at(at);
            assert_eq!(decode([head, tail]), want, "cut at {at}");
        }
    }

    #[test]
    fn events_follow_the_standard() {
        check("data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]);
        check("data: a\r\n\r\ndata: b\r\n\r\n", &[("", "a"), ("", "b")]);
        check("data: a\r\rdata: b\r\r", &[("", "a"), ("", "b")]);
        check("event: e\r\ndata: a\r\ndata: b\r\n\r\n", &[("e", "a\nb")]);
        check("event: e\rdata: a\rdata: b\r\r", &[("e", "a\nb")]);
        check("data: a\r\n\ndata: b\n\r\n", &[("", "a"), ("", "b")]);
        check("event: ping\ndata: {}\n\ndata: x\n\n", &[("ping", "{}"), ("", "x")]);
        check("event: a\nevent: b\ndata: x\n\n", &[("b", "x")]);
        check("data:a\ndata:  b\ndata\ndata:c:d\n\n", &[("", "a\n b\n\nc:d")]);
        check(": note\n:\nid: 1\nretry: 5\nfuture: x\ndata: a\n\n", &[("", "a")]);
        check("Data: no\n data: no\ndata : no\n\ndata: yes\n\n", &[("", "yes")]);
        check("\n\n\nevent: lost\n\ndata: a\n\n\n\n", &[("", "a")]);
        check("data:\n\ndata\n\n", &[("", ""), ("", "")]);
        check("", &[]);
    }

    #[test]
    fn a_byte_order_mark_counts_only_at_the_start() {
        check("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\ndata: \u{FEFF}c\n\n", &[("", "a"), ("", "\u{FEFF}c")]);
        check("\u{FEFF}", &[]);
    }

    #[test]
    fn characters_survive_any_cut() {
        check("data: 雪が降る 🌨️ é\n\n", &[("", "雪が降る 🌨️ é")]);
        check(b"data: a\xE9\x9Bb\n\n", &[("", "a\u{FFFD}b")]);
    }

    #[test]
    fn the_last_event_needs_no_blank_line() {
        check("data: a\n\ndata: [DONE]", &[("", "a"), ("", "[DONE]")]);
        check("data: a\n\ndata: [DONE]\n", &[("", "a"), ("", "[DONE]")]);
        check("event: end\ndata: x\r", &[("end", "x")]);
        check("data: a\n\n: bye", &[("", "a")]);
    }

    #[test]
    fn an_event_has_a_bound() {
        let feed = |chunk: usize| {
            let mut decoder = Decoder::with_limit(20);
            let input = "data: 0123456789\n\ndata: 0123456789\ndata: 0123456789\n\ndata: a\n\n";
            let events: Vec<_> = input.as_bytes().chunks(chunk).flat_map(|chunk| decoder.push(chunk)).collect();
            (events, decoder.finish())
        };
        let want = (vec![Ok(Event { name: String::new(), data: "0123456789".into() }), Err(TooLarge)], None);
        for chunk in [1, 7, 1000] {
            assert_eq!(feed(chunk), want, "chunks of {chunk}");
        }
    }

    proptest! {
        /// Whatever the bytes, the cutting does not matter.
        #[test]
        fn cutting_never_matters(
            lines in prop::collection::vec("(data|event|id|)(:| |: |)[a:é雪🌨\u{FEFF}]{0,4}(\r|\n|\r\n|\n\n)", 0..12),
            cuts in prop::collection::vec(0.0..1.0f64, 0..8),
        ) {
            let input = lines.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| (cut * input.len() as f64) as usize).collect();
            cuts.extend([0, input.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &input[pair[0]..pair[1]]).collect();
            let whole = decode([input.as_slice()]);
            let spoilt = whole.iter().any(|(name, data)| name.contains('\u{FFFD}') || data.contains('\u{FFFD}'));
            prop_assert!(!spoilt);
            prop_assert_eq!(decode(pieces), whole);
        }
    }
}
