//! Settings that all tabs share: each change is one transaction with its reading, so that no tab writes over another's.

use serde_json::{Map, Value};

use super::{Desk, Stored};
use crate::{
    store::{Table, decode, from_value},
    story::{
        connection::{Connection, ProviderKind},
        settings::{Config, Connections, Preferences},
    },
};

/// What another tab may have set.
#[derive(Default)]
pub struct Followed {
    pub preferences: Option<Preferences>,
    pub connections: Option<Vec<Connection>>,
}

impl Desk {
    /// Changes the preferences, as they are by now; gives what they are then, and tells the other tabs.
    ///
    /// # Errors
    /// The store failed, or what is there cannot be read: nothing has been written.
    pub async fn prefer(&self, change: impl FnOnce(&mut Preferences)) -> Stored<Preferences> {
        let stored = self.ports.store.change(Preferences::ID, change).await?;
        self.ports.tabs.announce(Preferences::ID);
        Ok(stored)
    }

    /// The same for the list of connections.
    ///
    /// # Errors
    /// As [`Self::prefer`].
    pub async fn change_connections(&self, change: impl FnOnce(&mut Vec<Connection>)) -> Stored<Vec<Connection>> {
        let change = |connections: &mut Connections| change(&mut connections.list);
        let stored = self.ports.store.change(Connections::ID, change).await?;
        self.ports.tabs.announce(Connections::ID);
        Ok(stored.list)
    }

    /// A connection as its form leaves it, which was opened upon `before`; `None`: it is a new one. What the form left alone
    /// stays as it is by now: a turn may have learnt something of the model meanwhile. Gives the new list.
    ///
    /// # Errors
    /// As [`Self::prefer`].
    pub async fn keep_connection(&self, form: Connection, before: Option<&Connection>) -> Stored<Vec<Connection>> {
        self.change_connections(|list| match list.iter_mut().find(|one| one.id == form.id) {
            Some(one) => *one = before.map_or_else(|| form.clone(), |before| merged(one, before, &form)),
            None => list.push(form),
        })
        .await
    }

    /// The same for limits and thresholds, which are read where they are needed.
    ///
    /// # Errors
    /// As [`Self::prefer`].
    pub async fn change_config(&self, change: impl FnOnce(&mut Config)) -> Stored<Config> {
        self.ports.store.change(Config::ID, change).await
    }

    /// # Errors
    /// The store failed, or what is there cannot be read.
    pub async fn config(&self) -> Stored<Config> {
        Ok(self.ports.store.load(Config::ID).await?.unwrap_or_default())
    }

    /// # Errors
    /// The store failed, or what is there cannot be read.
    pub async fn connections(&self) -> Stored<Vec<Connection>> {
        Ok(self.ports.store.load::<Connections>(Connections::ID).await?.unwrap_or_default().list)
    }

    /// What is stored by now, past what is at hand: that may not have been let go yet.
    ///
    /// # Errors
    /// The store failed.
    pub async fn follow(&self) -> Stored<Followed> {
        let ids = [Preferences::ID, Connections::ID].map(str::to_owned);
        let mut followed = Followed::default();
        for doc in self.ports.store.get_many(Table::Settings, &ids).await? {
            match doc.id() {
                Preferences::ID => followed.preferences = decode(doc.value).ok(),
                _ => followed.connections = decode(doc.value).ok().map(|Connections { list, .. }| list),
            }
        }
        Ok(followed)
    }
}

/// What stands, with what a form has changed of what was before. Of another model or server than it was nothing was learnt.
fn merged(stands: &Connection, before: &Connection, form: &Connection) -> Connection {
    fn of(one: &Connection) -> (&str, ProviderKind, &str) {
        (&one.model, one.kind, &one.url)
    }
    if of(form) != of(stands) && of(form) != of(before) {
        return form.clone();
    }
    let fields = |connection: &Connection| match serde_json::to_value(connection) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let (mut all, before, said) = (fields(stands), fields(before), fields(form));
    for name in before.keys().chain(said.keys()) {
        match (before.get(name), said.get(name)) {
            (was, is) if was == is => {}
            (_, Some(is)) => drop(all.insert(name.clone(), is.clone())),
            (_, None) => drop(all.shift_remove(name)),
        }
    }
    from_value(all.into()).unwrap_or_else(|_| form.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::tokens::Calibration;

    /// A turn may have taught it something while its form was open.
    #[test]
    fn a_form_changes_what_it_changed() {
        let before = Connection {
            id: "c".into(),
            model: "m".into(),
            name: "One".into(),
            context_tokens: 32_768,
            ..Default::default()
        };
        let mut stands = Connection { context_tokens: 8_192, ..before.clone() };
        Calibration::of(&stands).learn(1_000, 1_300).store(&mut stands);
        let form = Connection { name: "Two".into(), timeout_seconds: 90, ..before.clone() };
        let kept = merged(&stands, &before, &form);
        assert_eq!(kept, Connection { name: "Two".into(), timeout_seconds: 90, ..stands.clone() });
        // What the form says of the same is what the reader wants.
        let form = Connection { context_tokens: 16_384, ..before.clone() };
        assert_eq!(merged(&stands, &before, &form).context_tokens, 16_384);
        // Another model was taught nothing.
        let other = Connection { model: "n".into(), ..before.clone() };
        assert_eq!(merged(&stands, &before, &other), other);
        // What it takes away goes.
        let mut taught = before.clone();
        Calibration::of(&taught).learn(1_000, 1_300).store(&mut taught);
        assert_eq!(merged(&taught, &taught, &before), before);
    }
}
