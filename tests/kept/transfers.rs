//! Archives in and out of a store in memory, as the page moves them.

use fabula::{
    exchange::{limits::Limits, merge::Mode},
    ports::{Future, Ports},
    sim::ports::Heads,
    transfer::{
        Cancel, Failure, Scope, Watch,
        export::{Exported, export},
        import::{Checked, Imported, Source, check, import, plan},
    },
};
use futures_executor::block_on;

struct Text<'a>(std::slice::Chunks<'a, u8>);

impl Source for Text<'_> {
    fn next(&mut self) -> Future<'_, Result<Option<Vec<u8>>, Failure>> {
        let piece = self.0.next().map(<[u8]>::to_vec);
        Box::pin(async move { Ok(piece) })
    }

    fn compressed(&self) -> u64 {
        // Well packed, and no bomb.
        1 << 20
    }
}

pub fn exported(ports: &Ports, scope: Scope) -> (String, Exported) {
    let watch = Watch::new(&*ports.clock, Cancel::default(), &|_| ());
    let mut text = String::new();
    let told = block_on(export(ports, &scope, &watch, async |more| {
        text += &more;
        Ok(())
    }));
    (text, told.unwrap())
}

pub fn imported(ports: &Ports, mode: Mode, text: &str) -> (Checked, Imported) {
    let watch = Watch::new(&*ports.clock, Cancel::default(), &|_| ());
    let source = || Text(text.as_bytes().chunks(1000));
    block_on(async {
        let file = check(&mut source(), Limits::default(), &Heads, &watch).await.unwrap();
        let prospect = plan(ports, &file, &watch).await.unwrap();
        let retitle = |title: &str| format!("{title} (copy)");
        let into = (&file, prospect.plan(mode));
        let told = import(ports, &mut source(), Limits::default(), into, &retitle, &watch).await.unwrap();
        (file, told)
    })
}
