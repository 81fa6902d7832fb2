//! At start-up: a record of the settings that cannot be read is put aside as it is, before anything is written in its
//! place; what of it can be read goes on.

use serde_json::json;

use crate::{
    ports::Ports,
    store::{Batch, Op, Record, Stored, Table, from_value, salvage},
    story::{
        connection::Connection,
        settings::{Config, Connections, Preferences},
    },
};

/// A record of the settings that may have to be pieced together.
pub trait Mendable: Record + Default {
    /// What can be read of it.
    fn mend(damaged: &serde_json::Value) -> Self {
        salvage(damaged)
    }
}

impl Mendable for Preferences {}
impl Mendable for Config {}
impl Mendable for Connections {
    /// Each connection on its own.
    fn mend(damaged: &serde_json::Value) -> Self {
        let list = damaged["list"].as_array().into_iter().flatten();
        let sound = |one: &serde_json::Value| from_value::<Connection>(one.clone()).ok();
        Self { list: list.filter_map(sound).filter(|one| !one.id.as_str().is_empty()).collect(), ..Self::default() }
    }
}

/// A record, and the name under which the damaged one lies where it could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read<R> {
    pub record: Option<R>,
    pub aside: Option<String>,
}

/// Reads a record of the settings.
///
/// # Errors
/// The store failed, or refused to keep the damaged record aside: nothing has been written.
pub async fn read<R: Mendable>(ports: &Ports, id: &str) -> Stored<Read<R>> {
    let store = &*ports.store;
    let error = match store.load::<R>(id).await {
        Ok(record) => return Ok(Read { record, aside: None }),
        Err(error) if error.is_unreadable() => error,
        Err(error) => return Err(error),
    };
    let Some(damaged) = store.get(Table::Settings, id).await? else { return Ok(Read { record: None, aside: None }) };
    let mut mended = serde_json::to_value(R::mend(&damaged.value)).expect("records have text keys");
    mended["id"] = id.into();
    let record: R = crate::store::decode(mended)?;
    let aside = format!("{id}.unreadable.{}", ports.clock.now());
    let kept = json!({ "id": aside, "why": error.to_string(), "record": damaged.value });
    let mut batch = Batch::new().put(&record);
    batch.ops.push(Op::Put(Table::Settings, kept.into()));
    store.commit(batch).await?;
    Ok(Read { record: Some(record), aside: Some(aside) })
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;
    use serde_json::Value;

    use super::*;
    use crate::sim::ports::Sim;

    fn stored(sim: &Sim, value: Value) {
        let mut batch = Batch::new();
        batch.ops.push(Op::Put(Table::Settings, value.into()));
        block_on(sim.ports.store.commit(batch)).unwrap();
    }

    fn found(sim: &Sim, id: &str) -> Value {
        block_on(sim.ports.store.get(Table::Settings, id)).unwrap().unwrap().value
    }

    #[test]
    fn a_damaged_list_is_kept_and_what_is_sound_goes_on() {
        let sim = Sim::new([]);
        let damaged =
            json!({"id": "connections", "list": [{"id": "a", "name": "A", "kind": "openai"}, {"id": 3}, "?"]});
        stored(&sim, damaged.clone());
        let Read { record, aside } = block_on(read::<Connections>(&sim.ports, Connections::ID)).unwrap();
        let names: Vec<_> = record.unwrap().list.into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["A"]);
        assert_eq!(found(&sim, &aside.unwrap())["record"], damaged, "as it was");
        let again = block_on(read::<Connections>(&sim.ports, Connections::ID)).unwrap();
        assert_eq!((again.record.unwrap().list.len(), again.aside), (1, None));
    }

    #[test]
    fn fields_that_are_sound_go_on() {
        let sim = Sim::new([]);
        stored(&sim, json!({"id": "preferences", "type_size": "big", "user_name": "林", "later": 1}));
        let read = block_on(read::<Preferences>(&sim.ports, Preferences::ID)).unwrap();
        let record = read.record.unwrap();
        assert_eq!((record.user_name.as_str(), record.type_size, &record.extra["later"]), ("林", 100, &json!(1)));
        assert!(read.aside.is_some());
    }

    /// A page that could not read its settings goes on with defaults, and stores none of them.
    #[test]
    fn a_change_is_one_of_what_is_stored() {
        let sim = Sim::new([]);
        stored(&sim, json!({"id": "preferences", "user_name": "林", "status_bars": ["a", "b"], "later": 1}));
        sim.store.fail(0, "UnknownError");
        assert!(block_on(read::<Preferences>(&sim.ports, Preferences::ID)).is_err());
        let revoke = |all: &mut Preferences| all.status_bars.retain(|hash| hash != "a");
        let now = block_on(sim.ports.store.change(Preferences::ID, revoke)).unwrap();
        block_on(sim.ports.store.change(Preferences::ID, |all: &mut Preferences| all.type_size = 125)).unwrap();
        assert_eq!((now.user_name.as_str(), now.status_bars), ("林", vec!["b".to_owned()]));
        let found = found(&sim, Preferences::ID);
        assert_eq!(
            (&found["type_size"], &found["status_bars"], &found["later"]),
            (&json!(125), &json!(["b"]), &json!(1))
        );

        let damaged = json!({"id": "preferences", "type_size": "big"});
        stored(&sim, damaged.clone());
        let refused = block_on(sim.ports.store.change(Preferences::ID, |all: &mut Preferences| all.type_size = 90));
        assert!(refused.unwrap_err().is_unreadable());
        assert_eq!(super::tests::found(&sim, Preferences::ID), damaged);
    }

    /// What cannot be kept aside stays where it is.
    #[test]
    fn nothing_is_written_over_what_could_not_be_kept() {
        let sim = Sim::new([]);
        let damaged = json!({"id": "connections", "list": "none"});
        stored(&sim, damaged.clone());
        let before = sim.store.operations();
        block_on(read::<Connections>(&sim.ports, Connections::ID)).unwrap();
        let operations = sim.store.operations() - before;
        for nth in 0..operations {
            let sim = Sim::new([]);
            stored(&sim, damaged.clone());
            sim.store.fail(nth, "QuotaExceededError");
            assert!(block_on(read::<Connections>(&sim.ports, Connections::ID)).is_err(), "operation {nth}");
            assert_eq!(found(&sim, Connections::ID), damaged);
        }
        let empty = Sim::new([]);
        assert_eq!(block_on(read::<Connections>(&empty.ports, "connections")), Ok(Read { record: None, aside: None }));
    }
}
