//! Two stylesheets out of `style/*.css`, as `style/order.txt` names them: what the first page needs, and the rest.

use std::process::Command;

use crate::sh::{self, Result};

/// Where `index.html` looks for them, whatever CARGO_TARGET_DIR says.
const OUTPUT: [&str; 2] = ["target/fabula.css", "target/rest.css"];
/// Between the two in the list.
const CUT: &str = "--";

/// Puts them together; `small`: without what only people read of them.
///
/// # Errors
/// A sheet is missing, cannot be read, or is none.
pub fn concatenate(small: bool) -> Result {
    let folder = sh::root().join("style");
    let on_disk: Vec<String> = sh::files_below(&folder).into_iter().filter(|name| name.ends_with(".css")).collect();
    let order = order(&sh::read(&folder.join("order.txt"))?, &on_disk)?;
    for (order, output) in order.iter().zip(OUTPUT) {
        let sheets = order.iter().map(|name| sh::read(&folder.join(name))).collect::<Result<Vec<_>>>()?;
        let output = sh::root().join(output);
        sh::write(&output, &sheets.join("\n"))?;
        if small {
            let mut esbuild = Command::new(sh::root().join("node_modules/.bin/esbuild"));
            esbuild.arg(&output).args(["--minify", "--allow-overwrite", "--log-level=warning"]);
            sh::run(esbuild.arg(format!("--outfile={}", output.display())))?;
        }
    }
    Ok(())
}

/// The sheets of both in their order: one name a line, empty lines and `#` comments aside.
///
/// # Errors
/// When the list and the folder differ, the list is not cut in two, or a name stands twice in one of them.
fn order(list: &str, on_disk: &[String]) -> Result<[Vec<String>; 2]> {
    let mut order = [Vec::new(), Vec::new()];
    let mut at = 0;
    for name in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if name == CUT {
            at += 1;
            continue;
        }
        let order = order.get_mut(at).ok_or("style/order.txt is cut more than once")?;
        if order.iter().any(|seen| seen == name) {
            return Err(format!("style/order.txt names {name} twice"));
        }
        if !on_disk.iter().any(|file| file == name) {
            return Err(format!("style/order.txt names {name}, which is not in style/"));
        }
        order.push(name.to_owned());
    }
    match on_disk.iter().find(|file| !order.iter().flatten().any(|named| named == *file)) {
        Some(file) => Err(format!("style/{file} is missing from style/order.txt")),
        None => Ok(order),
    }
}

#[cfg(test)]
mod tests {
    use super::order;

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn the_list_decides_the_order() {
        let list = "# first the tokens\ntokens.css\r\n\nui/chat.css\n--\nbase.css\ntokens.css\n";
        assert_eq!(
            order(list, &names("base.css tokens.css ui/chat.css")).unwrap(),
            [names("tokens.css ui/chat.css"), names("base.css tokens.css")]
        );
    }

    #[test]
    fn list_and_folder_must_agree() {
        let error = |list, disk| order(list, &names(disk)).unwrap_err();
        assert!(error("a.css", "a.css b.css").contains("b.css is missing"));
        assert!(error("a.css\nb.css", "a.css").contains("not in style/"));
        assert!(error("a.css\na.css", "a.css").contains("twice"));
        assert!(error("a.css\n--\n--\na.css", "a.css").contains("more than once"));
    }
}
