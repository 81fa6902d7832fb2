//! A made-up feature: a lantern whose oil burns down with each reply. All that the program knows of it is its line in
//! [`super::ALL`]; `turn::tests::lantern` plays with it.

use serde::{Deserialize, Serialize};

use crate::{
    features::{Absorbed, Feature, Module, ModuleFault, Outcome, Played, TurnContext},
    prompt::sources::{Give, Source},
    story::{
        Extra,
        features::Settings,
        state::{Change, State},
    },
};

const NAME: &str = "lantern";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LanternSettings {
    pub enabled: bool,
    /// Burnt by each reply.
    pub oil: u32,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Settings for LanternSettings {
    const NAME: &'static str = NAME;
}

pub struct Lantern;

impl Feature for Lantern {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sources(&self) -> &'static [Source] {
        &[Source {
            name: NAME,
            title: ["灯", "Lantern"],
            give: Give::Text(|draft| format!("Oil burnt: {}.", burnt(draft.scene.state))),
        }]
    }

    fn module(&self, played: &Played) -> Option<Box<dyn Module>> {
        let LanternSettings { enabled, oil, .. } = played.storyline.settings(played.preset);
        enabled.then(|| Box::new(Burning { oil }) as _)
    }
}

struct Burning {
    oil: u32,
}

impl Module for Burning {
    fn name(&self) -> &'static str {
        NAME
    }

    fn absorb(&self, _: &Absorbed, _: &TurnContext, state: &mut State) -> Result<Outcome, ModuleFault> {
        let from = burnt(state);
        let to = from + u64::from(self.oil);
        state.extra.insert(NAME.into(), to.into());
        let change = Change::World { key: NAME.into(), from: Some(from.into()), to: Some(to.into()) };
        Ok(Outcome { changes: vec![change], ..Default::default() })
    }
}

/// Its part of the state.
fn burnt(state: &State) -> u64 {
    state.extra.get(NAME).and_then(serde_json::Value::as_u64).unwrap_or_default()
}
