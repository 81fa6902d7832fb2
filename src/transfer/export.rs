//! Out of the store into an archive.

use super::{
    Failure, Stage, Watch,
    excerpt::copied,
    select::{Scope, Selection},
};
use crate::{
    exchange::{
        archive::{Entry, Header, Kind, LeftOut, Writer},
        merge::Renamer,
        refusal::{Refusal, Warning},
    },
    ports::Ports,
    store::Part,
};

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    pub title: String,
    pub records: u64,
    /// Damaged records: they are not in the file.
    pub left_out: Vec<LeftOut>,
    /// Pictures that its records name and this device does not have: another one may.
    pub absent: usize,
    pub warnings: Vec<Warning>,
}

/// Writes an archive, some lines at a time.
///
/// # Errors
/// The store or `write` failed; `Gone`; `Cancelled`; `Refused(Damaged)` where the storyline itself cannot be read.
pub async fn export(
    ports: &Ports,
    scope: &Scope,
    watch: &Watch<'_>,
    mut write: impl AsyncFnMut(String) -> Result<(), Failure>,
) -> Result<Exported, Failure> {
    watch.enter(Stage::Exporting);
    let selection = Selection::of(&*ports.store, scope).await?;
    let header = Header::new(selection.kind, ports.clock.now(), selection.title.clone(), &selection.counts);
    let (mut writer, line) = Writer::new(&header);
    write(line).await?;
    let mut records = 0;
    // Beside the whole story, what leads to a save point is another one.
    let plan = selection.cut_storyline().map(copied);
    let mut make = || ports.id::<String>();
    let mut renamer = plan.as_ref().map(|plan| Renamer::new(plan, &mut make));
    let lines = async |entries: Vec<Entry>| {
        let mut text = String::new();
        for Entry { part, mut doc } in entries {
            if let Some(renamer) = &mut renamer {
                renamer.rewrite(part, &mut doc.value);
            }
            if let Some(line) = writer.line(part, &doc) {
                text += &line;
                records += 1;
            }
        }
        if text.is_empty() { Ok(()) } else { write(text).await }
    };
    let absent = selection.walk(ports, watch, lines).await?;
    let left_out = writer.left_out().to_vec();
    // A library does without a story that is damaged; an archive of it does not.
    if let Some(lost) = left_out.iter().find(|lost| selection.kind == Kind::Storyline && lost.part == Part::Storylines)
    {
        return Err(Refusal::from(lost.why.clone()).into());
    }
    let warnings = writer.warnings();
    write(writer.finish()).await?;
    Ok(Exported { title: selection.title, records, left_out, absent, warnings })
}
