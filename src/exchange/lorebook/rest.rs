//! What a file says of an entry and an export would not write of itself: unknown fields, and known ones said otherwise
//! (`"sticky": 0` for `null`). It is kept beside the entry, and laid over an export wherever the entry is then still
//! read as what it is.

use serde_json::Value;

use super::{
    Object, card,
    entry::{Form, same, text},
};
use crate::story::lorebook::Entry;

const EXTENSIONS: &str = "extensions";
/// Keeps what is left of an entry that was read from these fields.
pub fn keep(form: Form, entry: &mut Entry, fields: &Object) {
    let written = form.write(entry, 0);
    let mut rest = left(fields, &written);
    // Given anew, for it must be one of its own; where it is the same, as it was written.
    rest.retain(|key, value| key != form.id() || value.is_string());
    if !rest.is_empty() {
        entry.extra.insert(form.place().into(), rest.into());
    }
}

/// The entry in a form, with all that is left of it.
pub fn written(form: Form, entry: &Entry, uid: i64) -> Object {
    let mut fields = form.write(entry, uid);
    let id = fields.get(form.id()).cloned().unwrap_or_default();
    for from in Form::ALL {
        let Some(rest) = entry.extra.get(from.place()).and_then(Value::as_object) else { continue };
        let rest = match (from, form) {
            (Form::WorldInfo, Form::Card) => {
                let mut outer = Object::new();
                outer.insert(EXTENSIONS.into(), card::extensions(rest.clone()).into());
                outer
            }
            (Form::Card, Form::WorldInfo) => {
                card::world_info(rest.get(EXTENSIONS).and_then(Value::as_object).cloned().unwrap_or_default())
            }
            _ => rest.clone(),
        };
        fields = laid_over(form, fields, &rest, entry);
    }
    if text(fields.get(form.id())) != text(Some(&id)) {
        fields.insert(form.id().into(), id);
    }
    fields
}

fn left(fields: &Object, written: &Object) -> Object {
    let mut rest = Object::new();
    for (key, value) in fields {
        match (value, written.get(key)) {
            (Value::Object(inner), Some(Value::Object(known))) if key == EXTENSIONS => {
                let inner = left(inner, known);
                if !inner.is_empty() {
                    rest.insert(key.clone(), inner.into());
                }
            }
            (value, known) if known != Some(value) => drop(rest.insert(key.clone(), value.clone())),
            _ => {}
        }
    }
    rest
}

fn laid_over(form: Form, fields: Object, rest: &Object, entry: &Entry) -> Object {
    let fits = |fields: &Object| same(&form.read(fields), entry);
    let all = with(fields.clone(), rest);
    if fits(&all) {
        return all;
    }
    // It has been edited: each by itself, for what it says of the entry.
    one_by_one(rest).into_iter().fold(fields, |fields, one| {
        let trial = with(fields.clone(), &one);
        if fits(&trial) { trial } else { fields }
    })
}

fn with(mut fields: Object, rest: &Object) -> Object {
    for (key, value) in rest {
        match (fields.get_mut(key), value) {
            (Some(Value::Object(known)), Value::Object(inner)) if key == EXTENSIONS => known.extend(inner.clone()),
            _ => drop(fields.insert(key.clone(), value.clone())),
        }
    }
    fields
}

fn one_by_one(rest: &Object) -> Vec<Object> {
    let one = |key: &str, value: Value| Object::from_iter([(key.to_owned(), value)]);
    let mut all = Vec::new();
    for (key, value) in rest {
        match value {
            Value::Object(inner) if key == EXTENSIONS => {
                all.extend(inner.iter().map(|(inner, value)| one(key, one(inner, value.clone()).into())));
            }
            value => all.push(one(key, value.clone())),
        }
    }
    all
}
