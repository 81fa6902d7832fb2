//! One stylesheet out of `style/*.css`, in the order that `style/order.txt` names.

use crate::sh::{self, Result};

/// Where `index.html` looks for it, whatever CARGO_TARGET_DIR says.
const OUTPUT: &str = "target/fabula.css";

pub fn concatenate() -> Result {
    let folder = sh::root().join("style");
    let on_disk: Vec<String> = sh::files_below(&folder).into_iter().filter(|name| name.ends_with(".css")).collect();
    let order = order(&sh::read(&folder.join("order.txt"))?, &on_disk)?;
    let mut whole = String::new();
    for name in order {
        let sheet = sh::read(&folder.join(&name))?;
        whole.push_str(&terse(&sheet));
    }
    sh::write(&sh::root().join(OUTPUT), &whole)
}

/// A sheet without comments, indentation and empty lines: a sixth of what travels. Quotes hold no comment in ours.
fn terse(sheet: &str) -> String {
    let mut parts = sheet.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    let bare = parts.fold(first, |bare, part| bare + part.split_once("*/").map_or("", |(_, after)| after));
    let lines = bare.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .collect::<Vec<_>>()
        .join("\n")
        .replace(" {", "{")
        .replace("{\n", "{")
        .replace(";\n", ";")
        .replace(": ", ":")
        .replace(", ", ",")
        .replace(";}", "}")
        .replace("}\n", "}")
}

/// The sheets in their order: one name a line, empty lines and `#` comments aside.
///
/// # Errors
/// When the list and the folder differ, or a name stands twice.
fn order(list: &str, on_disk: &[String]) -> Result<Vec<String>> {
    let mut order: Vec<String> = Vec::new();
    for name in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if order.iter().any(|seen| seen == name) {
            return Err(format!("style/order.txt names {name} twice"));
        }
        if !on_disk.iter().any(|file| file == name) {
            return Err(format!("style/order.txt names {name}, which is not in style/"));
        }
        order.push(name.to_owned());
    }
    match on_disk.iter().find(|file| !order.contains(file)) {
        Some(file) => Err(format!("style/{file} is missing from style/order.txt")),
        None => Ok(order),
    }
}

#[cfg(test)]
mod tests {
    use super::{order, terse};

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn the_list_decides_the_order() {
        let list = "# first the tokens\ntokens.css\r\n\nui/chat.css\nbase.css\n";
        assert_eq!(
            order(list, &names("base.css tokens.css ui/chat.css")).unwrap(),
            names("tokens.css ui/chat.css base.css")
        );
    }

    #[test]
    fn a_sheet_is_terse_and_says_the_same() {
        let sheet = "/* a\n { */\n.a :hover,\n.b > c {\n  /* why */\n  color: red;\n  margin: 0 -1px, calc(1px + 2px);\n}\n\n@media (width > 1px) {\n  .a {\n    top: 0;\n  }\n}\n";
        let terse = terse(sheet);
        assert_eq!(terse, ".a :hover,\n.b > c{color:red;margin:0 -1px,calc(1px + 2px)}@media (width > 1px){.a{top:0}}");
    }

    #[test]
    fn list_and_folder_must_agree() {
        let error = |list, disk| order(list, &names(disk)).unwrap_err();
        assert!(error("a.css", "a.css b.css").contains("b.css is missing"));
        assert!(error("a.css\nb.css", "a.css").contains("not in style/"));
        assert!(error("a.css\na.css", "a.css").contains("twice"));
    }
}
