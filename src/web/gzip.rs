//! gzip by the browser's own streams, a piece at a time in both directions.

use std::mem;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use js_sys::{Array, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, File, ReadableStream, ReadableStreamDefaultReader, WritableStream, WritableStreamDefaultWriter};

use super::{files, text_of};
use crate::{exchange::refusal::Refusal, transfer::Failure};

#[wasm_bindgen]
extern "C" {
    // web-sys counts both as unstable.
    type CompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<CompressionStream, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn readable(this: &CompressionStream) -> ReadableStream;
    #[wasm_bindgen(method, getter)]
    fn writable(this: &CompressionStream) -> WritableStream;

    type DecompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn readable(this: &DecompressionStream) -> ReadableStream;
    #[wasm_bindgen(method, getter)]
    fn writable(this: &DecompressionStream) -> WritableStream;
}

/// Bytes that go into the compressor at a time: a few milliseconds of work.
const RAW_PIECE: usize = 64 << 10;
/// Compressed bytes that become a part of the file, and leave the page's memory.
const PART: usize = 4 << 20;
/// Bytes of a file that are read at a time.
const SLICE: f64 = 1_048_576.0;
/// Bytes that go into the decompressor at a time. What they unpack to must fit into memory: at worst 1,032 times as
/// much, 8 MiB.
const PACKED_PIECE: usize = 8 << 10;

/// Becomes a gzip file.
pub struct Compress {
    writer: WritableStreamDefaultWriter,
    buffer: Vec<u8>,
    file: Option<oneshot::Receiver<Result<Blob, JsValue>>>,
}

impl Compress {
    /// # Errors
    /// The browser cannot.
    pub fn new() -> Result<Self, Failure> {
        let stream = CompressionStream::new("gzip").map_err(unreadable)?;
        let writer = WritableStreamDefaultWriter::new(&stream.writable()).map_err(unreadable)?;
        let reader = ReadableStreamDefaultReader::new(&stream.readable()).map_err(unreadable)?;
        let (sender, file) = oneshot::channel();
        spawn_local(async move {
            // Where nobody waits for it any more, there is nobody to tell.
            let _ = sender.send(gather(reader).await);
        });
        Ok(Self { writer, buffer: Vec::with_capacity(RAW_PIECE), file: Some(file) })
    }

    /// # Errors
    /// The browser could not compress it.
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<(), Failure> {
        while self.buffer.len() + bytes.len() >= RAW_PIECE {
            let (now, later) = bytes.split_at(RAW_PIECE - self.buffer.len());
            self.buffer.extend_from_slice(now);
            bytes = later;
            self.flush().await?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), Failure> {
        let piece = Uint8Array::from(self.buffer.as_slice());
        self.buffer.clear();
        JsFuture::from(self.writer.write_with_chunk(&piece)).await.map_err(unreadable)?;
        Ok(())
    }

    /// The file.
    ///
    /// # Errors
    /// The browser could not compress it, or had no room for it.
    pub async fn finish(mut self) -> Result<Blob, Failure> {
        self.flush().await?;
        let file = self.file.take().expect("finished once");
        JsFuture::from(self.writer.close()).await.map_err(unreadable)?;
        match file.await {
            Ok(file) => file.map_err(unreadable),
            Err(oneshot::Canceled) => Err(Failure::Unreadable(String::new())),
        }
    }
}

impl Drop for Compress {
    fn drop(&mut self) {
        // Not finished: the stream must not wait for more.
        if self.file.is_some() {
            unattended(self.writer.abort());
        }
    }
}

/// The compressed pieces as one blob, made of blobs: bytes in a blob are the browser's, not the page's.
async fn gather(reader: ReadableStreamDefaultReader) -> Result<Blob, JsValue> {
    let blob = |parts: &Array| Blob::new_with_blob_sequence(parts);
    let (file, mut part, mut size) = (Array::new(), Array::new(), 0);
    while let Some(piece) = chunk(&JsFuture::from(reader.read()).await?)? {
        size += piece.length() as usize;
        part.push(&piece);
        if size >= PART {
            file.push(&blob(&mem::take(&mut part))?.into());
            size = 0;
        }
    }
    file.push(&blob(&part)?.into());
    blob(&file)
}

/// A file, unpacked as one asks for more.
pub struct Decompress {
    file: File,
    /// Of the file: what has been read of it, and what of that has gone in.
    read: f64,
    slice: Vec<u8>,
    taken: usize,
    fed: u64,
    writer: WritableStreamDefaultWriter,
    reader: ReadableStreamDefaultReader,
    writing: Option<JsFuture>,
    reading: Option<JsFuture>,
    /// All has gone in.
    closing: bool,
}

impl Decompress {
    /// # Errors
    /// The browser cannot.
    pub fn new(file: File) -> Result<Self, Failure> {
        let stream = DecompressionStream::new("gzip").map_err(unreadable)?;
        Ok(Self {
            file,
            read: 0.0,
            slice: Vec::new(),
            taken: 0,
            fed: 0,
            writer: WritableStreamDefaultWriter::new(&stream.writable()).map_err(unreadable)?,
            reader: ReadableStreamDefaultReader::new(&stream.readable()).map_err(unreadable)?,
            writing: None,
            reading: None,
            closing: false,
        })
    }

    /// Compressed bytes that have gone in.
    pub fn fed(&self) -> u64 {
        self.fed
    }

    /// The next piece. What is unpacked is read before more goes in.
    ///
    /// # Errors
    /// `Truncated` where the end is missing, `Damaged`; `Unreadable` where the file itself cannot be read.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        loop {
            if self.writing.is_none() && !self.closing {
                self.feed().await?;
            }
            let reading = self.reading.get_or_insert_with(|| self.reader.read().into());
            let read = match &mut self.writing {
                Some(writing) => match select(reading, writing).await {
                    Either::Left((read, _)) => read,
                    Either::Right((wrote, _)) => {
                        self.writing = None;
                        wrote.map_err(|error| self.fault(&error))?;
                        continue;
                    }
                },
                None => reading.await,
            };
            self.reading = None;
            let read = read.and_then(|read| chunk(&read));
            return Ok(read.map_err(|error| self.fault(&error))?.map(|piece| piece.to_vec()));
        }
    }

    async fn feed(&mut self) -> Result<(), Failure> {
        if self.taken == self.slice.len() && self.read < self.file.size() {
            self.slice = files::slice(&self.file, self.read, self.read + SLICE).await.map_err(unreadable)?;
            self.read += self.slice.len() as f64;
            self.taken = 0;
        }
        let end = self.slice.len().min(self.taken + PACKED_PIECE);
        let piece = &self.slice[self.taken..end];
        self.closing = piece.is_empty();
        self.writing = Some(if self.closing {
            self.writer.close().into()
        } else {
            self.writer.write_with_chunk(&Uint8Array::from(piece)).into()
        });
        self.fed += piece.len() as u64;
        self.taken = end;
        Ok(())
    }

    /// The browsers word it differently, but only one thing can be wrong once all has been taken: that it wants more.
    fn fault(&self, error: &JsValue) -> Failure {
        if self.closing {
            Refusal::Truncated.into()
        } else {
            Refusal::Damaged(format!("gzip: {}", text_of(error, "message"))).into()
        }
    }
}

impl Drop for Decompress {
    fn drop(&mut self) {
        unattended(self.reader.cancel());
        unattended(self.writer.abort());
    }
}

/// What a reader of a stream gave; `None` at its end.
fn chunk(read: &JsValue) -> Result<Option<Uint8Array>, JsValue> {
    if Reflect::get(read, &"done".into())?.is_truthy() {
        return Ok(None);
    }
    Ok(Some(Reflect::get(read, &"value".into())?.dyn_into()?))
}

fn unreadable(error: JsValue) -> Failure {
    Failure::Unreadable(text_of(&error, "message"))
}

/// Nobody waits for it, and it may fail: a stream that is put away has nothing to say.
fn unattended(promise: Promise) {
    spawn_local(async move {
        let _ = JsFuture::from(promise).await;
    });
}
