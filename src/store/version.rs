//! Versions of records. A record says of which it is; one that does not is of the first, 0.
//!
//! Where the stored form of a record changes so that older ones no longer read, its description gets a [`Step`] from each
//! version to the next, one a file beside this one, named by table and versions; they run whenever an older record is
//! read, out of the database or out of an archive, and the record is written as it is now when it next changes. With it
//! the database gets a version (an empty step in `web::idb::migrate` will do) and the archive one, so that an older
//! program leaves both alone and says why; a single newer record is refused all the same.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Doc, Part, StoreError, Stored, Table};

/// From one version of a record to the next.
pub type Step = fn(&mut Map<String, Value>);

/// Takes out of a record of an older version what now is a record of another table, and gives that.
pub type Parting = fn(&mut Map<String, Value>) -> Option<(Part, Value)>;

/// No reader of records ever sees it.
const FIELD: &str = "record_version";

/// A stored record in the form of now.
///
/// # Errors
/// It was written by a newer version of the program.
pub fn current(table: Table, mut doc: Doc) -> Stored<Doc> {
    bring(table.describe().steps, &mut doc.value).map_err(|Newer| StoreError::newer(table))?;
    Ok(doc)
}

impl Part {
    /// Takes out of a record, which is in the form of now, what now is one of another table, and gives that in the form of
    /// now. Nobody who reads one record can do so: it is for where they come by the table, which are the step of the
    /// database (`web::idb::migrate`), the reader of an archive, and the end of an import that began before that step.
    pub fn parted(self, value: &mut Value) -> Option<(Self, Value)> {
        take_out(self.table().describe().parts?, |part| part.table().describe().steps, value)
    }
}

/// One of a newer version, which nobody can have put there, is nothing.
fn take_out(parting: Parting, steps: impl Fn(Part) -> &'static [Step], value: &mut Value) -> Option<(Part, Value)> {
    let (part, mut parted) = parting(value.as_object_mut()?)?;
    bring(steps(part), &mut parted).ok()?;
    Some((part, parted))
}

/// A record as it is stored.
pub fn stamped(table: Table, value: &Value) -> Cow<'_, Value> {
    stamp(table.describe().steps, value)
}

struct Newer;

fn bring(steps: &[Step], value: &mut Value) -> Result<(), Newer> {
    let Value::Object(fields) = value else { return Ok(()) };
    // Most records are of the first version, in tables that have no other.
    let version = match fields.shift_remove(FIELD) {
        Some(version) => version.as_u64().unwrap_or(u64::MAX),
        None => 0,
    };
    let missed = usize::try_from(version).ok().and_then(|version| steps.get(version..)).ok_or(Newer)?;
    missed.iter().for_each(|step| step(fields));
    Ok(())
}

fn stamp<'a>(steps: &[Step], value: &'a Value) -> Cow<'a, Value> {
    match value {
        Value::Object(fields) if !steps.is_empty() => {
            let mut fields = fields.clone();
            fields.insert(FIELD.to_owned(), steps.len().into());
            Cow::Owned(Value::Object(fields))
        }
        _ => Cow::Borrowed(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What a later version might do: a name for two, then a list for one.
    const STEPS: &[Step] = &[
        |fields| {
            let names = [fields.shift_remove("first"), fields.shift_remove("last")];
            let names: Vec<_> = names.iter().flatten().filter_map(Value::as_str).collect();
            fields.insert("name".into(), names.join(" ").into());
        },
        |fields| {
            let name = fields.shift_remove("name").unwrap_or_default();
            fields.insert("names".into(), json!([name]));
        },
    ];

    #[test]
    fn a_record_of_any_version_is_read_as_one_of_now() {
        let now = json!({ "id": "a", "unknown": { "kept": [1] }, "names": ["Ada Byron"] });
        for (version, stored) in [
            (0, json!({ "id": "a", "first": "Ada", "last": "Byron", "unknown": { "kept": [1] } })),
            (1, json!({ "id": "a", "name": "Ada Byron", "unknown": { "kept": [1] }, FIELD: 1 })),
            (2, json!({ "id": "a", FIELD: 2, "names": ["Ada Byron"], "unknown": { "kept": [1] } })),
        ] {
            let mut read = stored;
            assert!(bring(STEPS, &mut read).is_ok());
            assert_eq!(read, now, "version {version}");
        }
        let stored = stamp(STEPS, &now).into_owned();
        assert_eq!(stored[FIELD], 2);
        let mut read = stored;
        assert!(bring(STEPS, &mut read).is_ok());
        assert_eq!(read, now);
    }

    /// Who writes it says that it is of now.
    #[test]
    fn what_is_parted_is_of_now() {
        let parting: Parting = |fields| Some((Part::Accounts, fields.shift_remove("part")?));
        let part = json!({ "id": "a", "first": "Ada", "last": "Byron" });
        let mut whole = json!({ "id": "a", "part": part });
        let parted = take_out(parting, |_| STEPS, &mut whole);
        assert_eq!(parted, Some((Part::Accounts, json!({ "id": "a", "names": ["Ada Byron"] }))));
        assert_eq!(whole, json!({ "id": "a" }));
        assert_eq!(take_out(parting, |_| STEPS, &mut whole), None, "once");
    }

    #[test]
    fn a_newer_record_is_not_read() {
        for version in [json!(3), json!(u64::MAX), json!(-1), json!("2")] {
            assert!(bring(STEPS, &mut json!({ "id": "a", FIELD: version })).is_err(), "{version}");
        }
    }

    #[test]
    fn without_steps_nothing_is_added() {
        let record = json!({ "id": "a" });
        assert!(matches!(stamp(&[], &record), Cow::Borrowed(_)));
    }
}
