//! EPUB 3.3 (W3C): a ZIP of XHTML, with what lists it.

use super::{
    Book,
    page::{STYLE, body, escaped},
};
use crate::{exchange::container::zip, story::persona::iso};

const CONTAINER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"#;

pub(super) fn write(book: &Book) -> Vec<u8> {
    let (title, language) = (escaped(book.title), book.language.name());
    let names: Vec<String> = book.chapters.iter().map(|chapter| format!("chapter{}", chapter.number)).collect();
    let page = |body: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n\
            <html xmlns=\"http://www.w3.org/1999/xhtml\" xmlns:epub=\"http://www.idpf.org/2007/ops\" lang=\"{language}\" xml:lang=\"{language}\">\n\
            <head><title>{title}</title><link rel=\"stylesheet\" type=\"text/css\" href=\"style.css\"/></head>\n\
            <body>\n{body}</body>\n</html>\n"
        )
    };
    let chapters: Vec<(String, String)> = book
        .chapters
        .iter()
        .zip(&names)
        .map(|(chapter, name)| {
            let opens = if chapter.number == 1 { format!("<h1>{title}</h1>\n") } else { String::new() };
            (format!("{name}.xhtml"), page(&(opens + &body(book, chapter))))
        })
        .collect();
    let entries: String = book
        .chapters
        .iter()
        .zip(&names)
        .map(|(chapter, name)| {
            let heading = book.heading(chapter).map_or_else(|| title.clone(), |heading| escaped(&heading));
            format!("<li><a href=\"{name}.xhtml\">{heading}</a></li>\n")
        })
        .collect();
    let nav = page(&format!("<nav epub:type=\"toc\"><ol>\n{entries}</ol></nav>\n"));
    let authors: String =
        book.cast.iter().map(|name| format!("<dc:creator>{}</dc:creator>\n", escaped(name))).collect();
    let items: String = names
        .iter()
        .map(|name| format!("<item id=\"{name}\" href=\"{name}.xhtml\" media-type=\"application/xhtml+xml\"/>\n"))
        .collect();
    let spine: String = names.iter().map(|name| format!("<itemref idref=\"{name}\"/>\n")).collect();
    let package = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" unique-identifier=\"id\" xml:lang=\"{language}\">\n\
        <metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n\
        <dc:identifier id=\"id\">urn:fabula:{}</dc:identifier>\n<dc:title>{title}</dc:title>\n\
        <dc:language>{language}</dc:language>\n{authors}\
        <meta property=\"dcterms:modified\">{}</meta>\n</metadata>\n\
        <manifest>\n<item id=\"nav\" href=\"nav.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>\n\
        <item id=\"style\" href=\"style.css\" media-type=\"text/css\"/>\n{items}</manifest>\n\
        <spine>\n{spine}</spine>\n</package>\n",
        escaped(book.id),
        iso(book.at)
    );
    let rest =
        [("META-INF/container.xml", CONTAINER), ("book.opf", &package), ("nav.xhtml", &nav), ("style.css", STYLE)];
    // Readers look for the first one at the very beginning, as it is.
    let first = std::iter::once(("mimetype", &b"application/epub+zip"[..]));
    let rest = rest.into_iter().map(|(path, text)| (path, text.as_bytes()));
    let pages = chapters.iter().map(|(path, text)| (path.as_str(), text.as_bytes()));
    zip::write(first.chain(rest).chain(pages))
}
