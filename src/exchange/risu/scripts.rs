//! Regex scripts as SillyTavern has them, which scripts here are.

use serde_json::{Value, json};

/// `None`: one that does something else than to replace, or at a time that there is none of here. A script is `in`, `out`,
/// `type` and, where `ableFlag`, `flag`.
pub(super) fn script(own: &Value) -> Option<Value> {
    let text = |field: &str| own[field].as_str().unwrap_or_default();
    let (find, put) = (text("in"), text("out"));
    // Where it stands; whether for the eye or for the model alone.
    let (placement, eye, model): (&[u8], _, _) = match text("type") {
        "editinput" => (&[1], false, false),
        "editoutput" => (&[2], false, false),
        "editprocess" => (&[1, 2], false, true),
        "editdisplay" => (&[1, 2], true, false),
        "disabled" => (&[], false, false),
        _ => return None,
    };
    let said = if own["ableFlag"] == true { text("flag") } else { "g" };
    // What stands in brackets tells it to do something else.
    if find.is_empty() || put.starts_with("@@") || said.contains('<') {
        return None;
    }
    let mut flags = String::new();
    for flag in said.chars().filter(|flag| "dgimsuvy".contains(*flag)) {
        if !flags.contains(flag) {
            flags.push(flag);
        }
    }
    Some(json!({
        "scriptName": text("comment"),
        "findRegex": format!("/{}/{}", escaped(find), if said.is_empty() { "g" } else { &flags }),
        "replaceString": put.replace("$n", "\n").replace("$&", "{{match}}"),
        "trimStrings": [],
        "placement": placement,
        "disabled": placement.is_empty(),
        "markdownOnly": eye,
        "promptOnly": model,
    }))
}

/// With its slashes marked: a pattern ends at one.
fn escaped(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut is_marked = false;
    for char in pattern.chars() {
        if char == '/' && !is_marked {
            out.push('\\');
        }
        is_marked = char == '\\' && !is_marked;
        out.push(char);
    }
    out
}

/// Each of a list, with what it was; what is none stays as it is, and is counted where scripts are read.
pub(super) fn list(own: &Value) -> Vec<Value> {
    let each = |own: &Value| match script(own) {
        Some(mut script) => {
            script["risuai"] = own.clone();
            script
        }
        None => own.clone(),
    };
    own.as_array().into_iter().flatten().map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_they_stand() {
        for (own, expected) in [
            (
                json!({"comment": "a", "in": "x/y", "out": "$&$n", "type": "editoutput"}),
                Some(("/x\\/y/g", "{{match}}\n", json!([2]), [false; 3])),
            ),
            (
                json!({"in": "a\\/b", "out": "", "type": "editinput", "ableFlag": true, "flag": "ggi"}),
                Some(("/a\\/b/gi", "", json!([1]), [false; 3])),
            ),
            (
                json!({"in": "a", "out": "", "type": "editprocess"}),
                Some(("/a/g", "", json!([1, 2]), [false, false, true])),
            ),
            (
                json!({"in": "a", "out": "", "type": "editdisplay"}),
                Some(("/a/g", "", json!([1, 2]), [false, true, false])),
            ),
            (json!({"in": "a", "out": "", "type": "disabled"}), Some(("/a/g", "", json!([]), [true, false, false]))),
            (json!({"in": "a", "out": "@@emo joy", "type": "editdisplay"}), None),
            (json!({"in": "a", "out": "b", "type": "editdisplay", "ableFlag": true, "flag": "g<move_top>"}), None),
            (json!({"in": "", "out": "b", "type": "editdisplay"}), None),
            (json!({"in": "a", "out": "b", "type": "edittrans"}), None),
            (json!(7), None),
        ] {
            let read = script(&own);
            assert_eq!(read.is_some(), expected.is_some(), "{own}");
            let Some((read, (find, put, placement, [off, eye, model]))) = read.zip(expected) else { continue };
            assert_eq!(
                (&read["findRegex"], &read["replaceString"], &read["placement"]),
                (&json!(find), &json!(put), &placement)
            );
            assert_eq!(
                (&read["disabled"], &read["markdownOnly"], &read["promptOnly"]),
                (&json!(off), &json!(eye), &json!(model))
            );
        }
        let kept = list(&json!([{"in": "a", "out": "b", "type": "editdisplay"}, 7]));
        assert_eq!((&kept[0]["risuai"]["type"], &kept[1]), (&json!("editdisplay"), &json!(7)));
    }
}
