//! Sections of a sheet: a sheet is free text, and what looks like a heading begins one.

/// The heading of a line, where it is one: `## Goals`, `**Goals**`, `【目标】`, `[Goals]`, `Goals:`; and what follows it there.
fn heading(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if let Some(title) = line.strip_prefix('#') {
        return Some((bare(title.trim_start_matches('#')), ""));
    }
    for (open, close) in [("**", "**"), ("【", "】"), ("[", "]")] {
        if let Some((title, rest)) = line.strip_prefix(open).and_then(|line| line.split_once(close)) {
            return Some((bare(title), rest.trim_start_matches([':', '：']).trim()));
        }
    }
    let (title, rest) = line.split_once([':', '：'])?;
    let is_title = !title.starts_with(['-', '*', '•', '·']) && title.chars().count() <= LONGEST;
    is_title.then(|| (bare(title), rest.trim()))
}

/// Characters of a heading that only a colon marks.
const LONGEST: usize = 24;

fn bare(title: &str) -> &str {
    title.trim_matches(|char: char| char.is_whitespace() || matches!(char, '*' | ':' | '：' | '#' | '_'))
}

/// All sections, by their headings; what stands before the first has none.
pub fn sections(sheet: &str) -> Vec<(&str, String)> {
    let mut all: Vec<(&str, String)> = Vec::new();
    // Where signs mark the headings, a line with a colon is none.
    let is_marked = sheet.lines().any(|line| line.trim().starts_with(['#', '【']));
    for line in sheet.lines() {
        let marked = |line: &str| line.trim().starts_with(['#', '【']);
        match heading(line).filter(|_| !is_marked || marked(line)) {
            Some((title, rest)) => all.push((title, rest.to_owned())),
            None => match all.last_mut() {
                Some((_, text)) => {
                    text.push('\n');
                    text.push_str(line);
                }
                None => all.push(("", line.to_owned())),
            },
        }
    }
    all.iter_mut().for_each(|(_, text)| *text = text.trim().to_owned());
    all.retain(|(title, text)| !title.is_empty() || !text.is_empty());
    all
}

/// The section of a name, in whatever case; empty where there is none.
pub fn section(sheet: &str, name: &str) -> String {
    let name = name.trim().to_lowercase();
    let of_name = sections(sheet).into_iter().find(|(title, _)| title.to_lowercase() == name);
    of_name.map(|(_, text)| text).unwrap_or_default()
}
