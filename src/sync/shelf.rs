//! What stands on a shelf, field by field: of each the newest stays, whoever said it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    books::{self, Known, Me, Older},
    fact::{Fact, Stamp},
    fields,
    hear::Looked,
};
use crate::{
    ports::Ports,
    store::{Batch, Joins, Op, Query, Stored, Table, changed::CHANGED},
    turn::bin,
};

/// What became of what was said of a record.
pub struct Heard {
    /// The record, where it says something else now.
    pub record: Option<Value>,
    /// What lost against something newer, of both sides.
    pub lost: Option<Older>,
    /// The others have lost what was said, and must be told anew.
    pub tells: bool,
}

/// Since when a record is gone here: since it was told so; or of late, and nobody was told, unless the newest that is said of
/// it is newer: what brings it back brings all of it.
pub fn gone_at(known: &Known, own: Option<Stamp>, newest: &Stamp, is_here: bool) -> Option<Stamp> {
    match known.gone {
        true => Some(known.stamp.clone()),
        false => own.filter(|own| !is_here && newest <= own),
    }
}

/// Whether a record went here, and something newer was said of it but not all: who said so has not heard that it is gone, and
/// will tell all of it once they have. Until then it waits, or half a record would come back everywhere.
pub fn is_in_part(known: &Known, own: Option<&Stamp>, said: &BTreeMap<String, (Stamp, Value)>) -> bool {
    let Some(went) = (if known.gone { Some(&known.stamp) } else { own }) else { return false };
    let is_newer = |stamp: &Stamp| stamp > went;
    said.values().any(|(stamp, _)| is_newer(stamp)) && !said.get(CONSTANT).is_some_and(|(stamp, _)| is_newer(stamp))
}

/// A field of every record of a shelf that never changes: it is told when all is.
const CONSTANT: &str = "created";

/// The record with what was said of it. `own`: the stamp of those of its fields that have changed here since it was told.
pub fn hear(
    table: Table,
    of: &str,
    was: Option<Value>,
    said: &BTreeMap<String, (Stamp, Value)>,
    known: &mut Known,
    own: Option<Stamp>,
) -> Heard {
    let is_new = was.is_none();
    let before = was.as_ref().map(|value| fields::split(table, value)).unwrap_or_default();
    let newest = said.values().map(|(stamp, _)| stamp).max().cloned().unwrap_or_default();
    let gone_at = gone_at(known, own.clone(), &newest, !is_new);
    let mut record = was.and_then(|value| value.as_object().cloned()).unwrap_or_default();
    if is_new {
        record.insert("id".to_owned(), of.split_once('/').map_or(of, |(_, id)| id).into());
    }
    let (mut won, mut lost, mut is_known, mut tells) = (Vec::new(), Map::new(), false, false);
    for (name, (stamp, value)) in said {
        if gone_at.as_ref().is_some_and(|gone| stamp <= gone) {
            continue;
        }
        let told = known.fields.get(name);
        let here = before.get(name).unwrap_or(&Value::Null);
        let print = fields::print(here);
        // Changed here since it was told: it counts from then.
        let changed = told.map_or(!here.is_null(), |(_, told)| *told != print);
        let told = told.map(|(stamp, _)| stamp.clone()).unwrap_or_default();
        let stands = match &own {
            Some(own) if changed => own.clone().max(told),
            _ => told,
        };
        if *stamp <= stands {
            if changed && own.is_some() && value != here {
                lost.insert(name.clone(), value.clone());
            }
            continue;
        }
        if known.buried.as_ref().is_some_and(|buried| stamp <= buried) {
            known.fields.remove(name);
            tells = true;
        } else {
            known.fields.insert(name.clone(), (stamp.clone(), fields::print(value)));
        }
        known.hear(stamp);
        is_known = true;
        if value != here {
            if changed && own.is_some() {
                lost.insert(name.clone(), here.clone());
            }
            won.push((name.clone(), value.clone()));
        }
    }
    if is_known {
        known.gone = false;
    }
    // When it was changed is no version to look at, nor is an id.
    ["updated", "last_active", "head", "plays_as", "lorebooks"].iter().for_each(|name| drop(lost.shift_remove(*name)));
    let lost = own.filter(|_| !lost.is_empty()).map(|own| Older::new(of, own, lost.into()));
    if !is_known || won.is_empty() && !is_new {
        return Heard { record: None, lost, tells };
    }
    fields::put(table, &mut record, won);
    Heard { record: Some(record.into()), lost, tells }
}

/// A record that was deleted for ever elsewhere. Where it has changed since, or a storyline was played or taken out of the bin, it
/// stays, and is told anew with all that hangs on it: the others have it no more. True: it is gone from here.
pub async fn bury(ports: &Ports, me: &Me, fact: &Fact, gone: &(Stamp, Value), batch: &mut Batch) -> Stored<bool> {
    let (stamp, says) = gone;
    let store = &*ports.store;
    let (name, id) = fact.place();
    let Some(table) = fields::travels(name, id) else { return Ok(false) };
    let looked = Looked::at(ports, me, std::slice::from_ref(fact)).await?;
    let mut known = looked.known(&fact.of);
    let is_newer = *stamp > known.stamp;
    let has_changed = looked.own(&fact.of, me).is_some_and(|own| own > *stamp);
    known.hear(stamp);
    known.fields.clear();
    let here = store.get(table, id).await?;
    if here.is_none() && has_changed {
        // It went here later, and nobody was told.
        batch.push(&known);
        return Ok(false);
    }
    let stays = match (&here, table) {
        (None, _) => false,
        (Some(doc), _) => {
            // A week in the bin of one device is no reason where another has taken it out meanwhile; but who deletes it for
            // ever before anybody heard that it is in the bin says so together.
            let waits = table.describe().bin == Joins::Yes && !says.is_u64();
            let has_news = match table {
                Table::Storylines => has_news(ports, me, id).await?,
                _ => has_changed,
            };
            !is_newer || waits && doc.value["deleted"].is_null() || has_news
        }
    };
    if stays {
        // Newer than what buried it, or nobody would take it in.
        let now = ports.clock.now().max(known.stamp.at + 1);
        match table {
            Table::Storylines => batch.ops.extend(books::mark_story(store, id, now).await?),
            _ => batch.ops.push(books::mark(table, id, now)),
        }
        known.buried = known.buried.max(Some(stamp.clone()));
        batch.push(&known);
        return Ok(false);
    }
    match table {
        // Some of it may be here before the storyline itself is.
        Table::Storylines => bin::delete_storyline(store, &id.into()).await?,
        _ => batch.ops.push(Op::Delete(table, id.to_owned())),
    }
    known.gone |= is_newer;
    batch.push(&known);
    // That it went is news to nobody.
    batch.ops.push(Op::Delete(Table::Sync, format!("{CHANGED}{}", fact.of)));
    Ok(here.is_some())
}

/// Whether a turn of a story was played here that nobody was told of.
pub async fn has_news(ports: &Ports, me: &Me, story: &str) -> Stored<bool> {
    let store = &*ports.store;
    let keys = store.keys(Query::equal(Table::Turns, "storyline", story)).await?;
    let of: Vec<_> = keys.iter().map(|key| format!("{}/{key}", Table::Turns.name())).collect();
    Ok(!books::changed(store, me, &of).await?.is_empty())
}
