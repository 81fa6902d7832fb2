//! As much of a wasm file as is looked at here.

/// A part of a file.
pub struct Section<'a> {
    pub id: u8,
    pub body: &'a [u8],
    /// With its head.
    pub whole: &'a [u8],
}

/// What a file starts with, and its sections in their order.
pub fn sections(wasm: &[u8]) -> Option<(&[u8], Vec<Section<'_>>)> {
    let mut sections = Vec::new();
    let mut at = 8;
    while at < wasm.len() {
        let (length, body) = number(wasm, at + 1)?;
        let end = body + length;
        sections.push(Section { id: wasm[at], body: wasm.get(body..end)?, whole: &wasm[at..end] });
        at = end;
    }
    Some((wasm.get(..8)?, sections))
}

/// A section as it stands in a file.
pub fn section(id: u8, body: &[u8]) -> Vec<u8> {
    [&[id], &leb(body.len())[..], body].concat()
}

/// Of a section of custom data: what it is called.
pub fn name_of(custom: &[u8]) -> Option<&[u8]> {
    Some(text(custom, 0)?.0)
}

/// What comes from elsewhere.
#[derive(Clone, Copy)]
pub struct Import<'a> {
    pub module: &'a [u8],
    pub name: &'a [u8],
    /// What it is, as it stands in the file.
    pub what: &'a [u8],
}

impl Import<'_> {
    pub fn is_function(&self) -> bool {
        self.what.first() == Some(&0)
    }

    pub fn written(&self) -> Vec<u8> {
        [&leb(self.module.len())[..], self.module, &leb(self.name.len()), self.name, self.what].concat()
    }
}

/// The imports in their section.
pub fn imports(section: &[u8]) -> Option<Vec<Import<'_>>> {
    let (count, mut at) = number(section, 0)?;
    let mut imports = Vec::with_capacity(count);
    for _ in 0..count {
        let (module, after) = text(section, at)?;
        let (name, start) = text(section, after)?;
        let limits = |at: usize| {
            let has_most = section.get(at)? & 1 == 1;
            let (_, at) = number(section, at + 1)?;
            if has_most { Some(number(section, at)?.1) } else { Some(at) }
        };
        at = match section.get(start)? {
            0 => number(section, start + 1)?.1,
            1 => limits(start + 2)?,
            2 => limits(start + 1)?,
            3 => start + 3,
            _ => return None,
        };
        imports.push(Import { module, name, what: section.get(start..at)? });
    }
    Some(imports)
}

/// Bytes that say how long they are, and where they end.
pub fn text(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let (length, start) = number(bytes, at)?;
    Some((bytes.get(start..start + length)?, start + length))
}

/// A LEB128 number, and where it ends.
pub fn number(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        value |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
    }
}

pub fn leb(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        bytes.push(if value == 0 { low } else { low | 0x80 });
        if value == 0 {
            return bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for value in [0, 1, 127, 128, 300, 65_535, 1 << 30] {
            let written = leb(value);
            assert_eq!(number(&written, 0), Some((value, written.len())));
            assert_eq!(number(&written[..written.len() - 1], 0), None);
        }
    }

    #[test]
    fn every_kind_of_import_is_read_as_it_is_written() {
        let kinds: [&[u8]; 5] = [&[0, 0x80, 1], &[1, 0x70, 1, 2, 3], &[2, 0, 17], &[2, 1, 17, 0x80, 2], &[3, 0x7f, 1]];
        let written: Vec<Vec<u8>> =
            kinds.iter().map(|what| Import { module: b"m", name: b"n", what }.written()).collect();
        let section = [vec![5], written.concat()].concat();
        let read = imports(&section).unwrap();
        assert_eq!(read.iter().map(Import::written).collect::<Vec<_>>(), written);
        assert_eq!(read.iter().map(Import::is_function).collect::<Vec<_>>(), [true, false, false, false, false]);
        assert!(imports(&section[..section.len() - 1]).is_none());
        assert!(imports(&[1, 1, b'm', 1, b'n', 9]).is_none(), "no kind that is known");
    }
}
