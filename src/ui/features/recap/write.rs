//! When it is written.

use crate::{
    locales::{Say, Saying, faults, recap::T as R},
    story::{
        fault::{Fault, FaultKind},
        ids::StorylineId,
        spending::Kind,
    },
    turn::recap::Outcome,
    ui::{
        app::App,
        features::{
            scribe::{alone, ask_for_key},
            sheet::say_of_store,
        },
    },
};

/// Writes it where it is due. What goes wrong is said at the reply.
pub async fn write_due(app: App, id: &StorylineId) {
    if let Err(fault) = write(app, id, false).await {
        say_of_store(app, &fault);
    }
}

/// Writes it as it is asked for; its key is asked for where that is not at hand, and leave where all is spent. Nothing is
/// said where the reader stops it, or would not give what it needs.
///
/// # Errors
/// Why it was not written.
pub async fn write_asked(app: App, id: &StorylineId) -> Result<(), Saying> {
    loop {
        let fault = match write(app, id, true).await.map_err(faults::said)? {
            Outcome::Written => return Ok(()),
            Outcome::Nothing => return Err(R::NothingNew.kept()),
            Outcome::Missed(None) => return Err(R::Unusable.kept()),
            Outcome::Missed(Some(fault)) => fault,
        };
        let goes_on = match fault.kind {
            FaultKind::Stopped => false,
            FaultKind::KeyMissing => ask_for_key(app, id, None).await,
            FaultKind::OverBudget => app.asking_budget.ask(app, id, Kind::Summary).await,
            _ => return Err(faults::said(fault)),
        };
        if !goes_on {
            return Ok(());
        }
    }
}

async fn write(app: App, id: &StorylineId, asked: bool) -> Result<Outcome, Fault> {
    alone(app, id, async |stop| app.conductor().write_recap(id, asked, stop).await).await
}
