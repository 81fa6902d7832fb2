//! When the texts are written.

use leptos::prelude::*;

use crate::{
    features::sheet::settings,
    locales::{Say, Saying, faults, sheet::T as S},
    story::{
        fault::{Fault, FaultKind},
        ids::{ConnectionId, StorylineId},
        spending::Kind,
        written::Text,
    },
    turn::sheet::{Outcome, Which},
    ui::{
        app::App,
        features::scribe::{alone, ask_for_key},
    },
};

/// Writes what is due. What goes wrong is said at the reply.
pub async fn write_due(app: App, id: &StorylineId) {
    if let Err(fault) = write(app, id, None).await {
        say_of_store(app, &fault);
    }
}

/// Writes a text that is asked for; its key is asked for where that is not at hand, and leave where all is spent: `false`
/// where the reader would not give it, or stopped it.
///
/// # Errors
/// Why it was not written.
pub async fn write_asked(app: App, id: StorylineId, which: Which) -> Result<bool, Saying> {
    loop {
        let Outcome { written, missed } = write(app, &id, Some(which.clone())).await.map_err(faults::said)?;
        let mut faults = missed.iter().filter_map(|(_, fault)| fault.as_ref());
        let goes_on = match faults.next().map(|fault| fault.kind) {
            Some(FaultKind::Stopped) => false,
            Some(FaultKind::KeyMissing) => ask_for_key(app, &id, chosen(app, which.0)).await,
            Some(FaultKind::OverBudget) => app.asking_budget.ask(app, &id, Kind::Sheet).await,
            _ if written.contains(&which) => return Ok(true),
            _ => {
                let missed = missed.into_iter().find(|(missed, _)| *missed == which);
                return Err(match missed {
                    Some((_, Some(fault))) => faults::said(fault),
                    Some((_, None)) => S::Unusable.kept(),
                    None => S::NothingNew.kept(),
                });
            }
        };
        if !goes_on {
            return Ok(false);
        }
    }
}

fn chosen(app: App, text: Text) -> Option<ConnectionId> {
    untrack(|| app.story.played(|story, preset| settings(text, story, preset).connection)).flatten()
}

async fn write(app: App, id: &StorylineId, asked: Option<Which>) -> Result<Outcome, Fault> {
    alone(app, id, async |stop| app.conductor().write_texts(id, asked, stop).await).await
}

/// Of a store that fails nothing can be said at a reply.
pub fn say_of_store(app: App, fault: &Fault) {
    if matches!(fault.kind, FaultKind::StorageFull | FaultKind::StorageFailed) {
        app.notify_fault(fault);
    }
}
