//! A book as one page, and its passages as XHTML. Nothing of it is code: what looks like a tag in a story is text.

use std::fmt::Write;

use super::{Book, Chapter, Passage};
use crate::reply::markup::{Block, Document, Inline};

/// Both of a page and of an EPUB, whose reader brings its own.
pub(super) const STYLE: &str = "\
body { max-width: 38em; margin: 2em auto; padding: 0 1em; line-height: 1.7; font-family: Georgia, 'Noto Serif CJK SC', serif; }
h1, h2 { line-height: 1.3; font-weight: 600; }
.by { margin: 1.6em 0 0; font-size: .85em; font-weight: 600; opacity: .7; }
.reader { font-style: italic; }
blockquote { margin-left: 0; padding-left: 1em; border-left: 2px solid; }
table { border-collapse: collapse; } td, th { padding: .2em .6em; border: 1px solid; }
pre { white-space: pre-wrap; }
";

pub(super) fn write(book: &Book) -> String {
    let title = escaped(book.title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\"/>\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{title}</title>\n\
        <style>\n:root {{ color-scheme: light dark; }}\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        book.language.name()
    );
    for chapter in &book.chapters {
        out += &body(book, chapter);
    }
    out + "</body>\n</html>\n"
}

/// A chapter, its heading included.
pub(super) fn body(book: &Book, chapter: &Chapter) -> String {
    let mut out = String::new();
    if let Some(heading) = book.heading(chapter) {
        let _ = writeln!(out, "<h2>{}</h2>", escaped(&heading));
    }
    for Passage { by, is_reader, text } in &chapter.passages {
        let class = if *is_reader { "reader" } else { "told" };
        let mut document = Document::default();
        document.update(text.trim());
        let _ = write!(out, "<p class=\"by\">{}</p>\n<div class=\"{class}\">\n", escaped(by));
        blocks(document.blocks(), &mut out);
        out += "</div>\n";
    }
    out
}

pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            // XML has no place for these.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            char => out.push(char),
        }
    }
    out
}

fn blocks(all: &[Block], out: &mut String) {
    for block in all {
        match block {
            Block::Paragraph(text) => {
                *out += "<p>";
                inlines(text, out);
                *out += "</p>\n";
            }
            Block::Heading(level, text) => {
                // Beneath those of the book.
                let level = (level + 2).min(6);
                let _ = write!(out, "<h{level}>");
                inlines(text, out);
                let _ = writeln!(out, "</h{level}>");
            }
            Block::Quote(inner) => {
                *out += "<blockquote>\n";
                blocks(inner, out);
                *out += "</blockquote>\n";
            }
            Block::List { ordered, items } => {
                let name = if ordered.is_some() { "ol" } else { "ul" };
                let start = ordered.filter(|start| *start != 1).map(|start| format!(" start=\"{start}\""));
                let _ = writeln!(out, "<{name}{}>", start.unwrap_or_default());
                for item in items {
                    *out += "<li>";
                    blocks(item, out);
                    *out += "</li>\n";
                }
                let _ = writeln!(out, "</{name}>");
            }
            Block::Code { text, .. } | Block::Source { text, .. } => {
                let _ = writeln!(out, "<pre>{}</pre>", escaped(text));
            }
            Block::Table { head, rows } => {
                *out += "<table>\n";
                row("th", head, out);
                rows.iter().for_each(|cells| row("td", cells, out));
                *out += "</table>\n";
            }
            Block::Rule => *out += "<hr/>\n",
        }
    }
}

fn row(name: &str, cells: &[Vec<Inline>], out: &mut String) {
    *out += "<tr>";
    cells.iter().for_each(|cell| within(name, cell, out));
    *out += "</tr>\n";
}

fn inlines(all: &[Inline], out: &mut String) {
    for inline in all {
        match inline {
            Inline::Text(text) => *out += &escaped(text),
            Inline::Emphasis(inner) => within("em", inner, out),
            Inline::Strong(inner) => within("strong", inner, out),
            Inline::Strike(inner) => within("s", inner, out),
            Inline::Speech(inner) => inlines(inner, out),
            Inline::Code(text) => *out += &format!("<code>{}</code>", escaped(text)),
            Inline::Link { url, children } => {
                let _ = write!(out, "<a href=\"{}\">", escaped(url));
                inlines(children, out);
                *out += "</a>";
            }
            // A page for reading asks nobody for anything.
            Inline::Image { alt, .. } => *out += &escaped(alt),
            Inline::Break => *out += "<br/>",
            Inline::Marker(_) => {}
        }
    }
}

fn within(name: &str, inner: &[Inline], out: &mut String) {
    let _ = write!(out, "<{name}>");
    inlines(inner, out);
    let _ = write!(out, "</{name}>");
}
