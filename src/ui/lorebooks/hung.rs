//! The lorebooks that hang on something: those of the library, with check boxes. They are read when this is opened.

use leptos::{prelude::*, task::spawn_local};

use super::{
    shelf::{read_shelf, shelf},
    words::say,
};
use crate::{
    desk::lorebooks::Hook,
    exchange::lorebook::count_of,
    locales::{fill, lorebooks::T as L},
    story::{background::Background, character::Character, ids::LorebookId},
    turn::bin::Binned,
    ui::{app::App, route::Route, state::NoticeKind},
};

/// Their list. What is ticked is kept by `hang`.
#[component]
pub fn Hungs(hung: Signal<Vec<LorebookId>>, hang: Callback<(LorebookId, bool)>) -> impl IntoView {
    let app = App::here();
    let shelf = shelf(app);
    // A book that was made meanwhile, as one that a card carried, is read once it hangs here.
    let asked = StoredValue::new(Vec::<LorebookId>::new());
    Effect::new(move |_| {
        let is_known = |id: &LorebookId| {
            shelf.with_untracked(|books| books.as_ref().is_none_or(|books| books.iter().any(|book| book.id == *id)))
                || asked.with_value(|asked| asked.contains(id))
        };
        let unknown: Vec<_> = hung.with(|hung| hung.iter().filter(|id| !is_known(id)).cloned().collect());
        if !unknown.is_empty() {
            asked.update_value(|asked| asked.extend(unknown));
            spawn_local(read_shelf(app, shelf));
        }
    });
    let options = move || {
        let Some(books) = shelf.get() else { return Vec::new() };
        let hung = hung.get();
        let gone = hung.iter().filter(|id| books.iter().all(|book| book.id != **id));
        let gone: Vec<_> = gone.map(|id| (id.clone(), None)).collect();
        books.into_iter().map(|book| (book.id, Some(book.name))).chain(gone).collect()
    };
    let is_none = move || options().is_empty() && shelf.with(Option::is_some);
    view! {
        <ul class="hung-books" data-testid="lorebook-hung">
            <For each=options key=Clone::clone let:option>
                {
                    let (id, name) = option;
                    let this = StoredValue::new(id);
                    let is_on = move || this.with_value(|id| hung.with(|hung| hung.contains(id)));
                    let flip = move |event| hang.run((this.get_value(), event_target_checked(&event)));
                    let name = move || name.clone().unwrap_or_else(|| say(app, L::HungGone)().to_owned());
                    view! {
                        <li>
                            <label class="check">
                                <input type="checkbox" data-testid="lorebook-hang" prop:checked=is_on on:change=flip />
                                <span dir="auto">{name}</span>
                            </label>
                        </li>
                    }
                }
            </For>
        </ul>
        <p class="field-note">
            <Show when=is_none>{say(app, L::HungNone)} " "</Show>
            <a class="link" href=Route::Lorebooks.hash()>{say(app, L::ToLibrary)}</a>
        </p>
    }
}

/// What of the library books hang on.
pub trait HungOn: Binned + Hook + Send + Sync {
    fn find(app: App, id: &str) -> Option<Self>;

    /// The book that it carries itself.
    fn own_book(_: App, _: &str) -> AnyView {
        ().into_any()
    }

    /// Below its editor; what is ticked is kept at once.
    fn below(id: &str) -> AnyView {
        let id = id.to_owned();
        view! { <Below<Self> id at=std::marker::PhantomData /> }.into_any()
    }
}

impl HungOn for Background {
    fn find(app: App, id: &str) -> Option<Self> {
        app.background(&id.into())
    }
}

impl HungOn for Character {
    fn find(app: App, id: &str) -> Option<Self> {
        app.character(&id.into())
    }

    fn own_book(app: App, id: &str) -> AnyView {
        let id = StoredValue::new(id.to_owned());
        let carried = Memo::new(move |_| {
            let character = id.with_value(|id| app.character(&id.as_str().into()))?;
            character.card.character_book.as_ref().map(count_of)
        });
        let take = move |_| {
            let Some(character) = id.with_value(|id| app.character(&id.as_str().into())) else { return };
            spawn_local(async move {
                match app.desk().take_card_book(&character.id, &character.name).await {
                    Ok(Some(_)) => app.notify(NoticeKind::Info, L::BookTaken.with(&[&character.name])),
                    Ok(None) => {}
                    Err(error) => app.notify_store(error),
                }
                app.refresh().await;
            });
        };
        let shown = move || {
            carried.get().map(|count| {
                view! {
                    <div class="own-book" data-testid="character-own-book">
                        <p>{move || fill(say(app, L::CardBook)(), &[&count.to_string()])}</p>
                        <button type="button" class="button" data-testid="character-take-book" on:click=take>{say(app, L::TakeBook)}</button>
                    </div>
                }
            })
        };
        shown.into_any()
    }
}

#[component]
fn Below<R: HungOn>(id: String, at: std::marker::PhantomData<R>) -> impl IntoView {
    let _ = at;
    let app = App::here();
    let own = R::own_book(app, &id);
    let id = StoredValue::new(id);
    let hung =
        Memo::new(move |_| id.with_value(|id| R::find(app, id)).map(|hook| hook.books().clone()).unwrap_or_default());
    let hang = Callback::new(move |(book, on): (LorebookId, bool)| {
        let id = id.get_value();
        spawn_local(async move {
            if app.is_stored(app.desk().hang::<R>(&id, &book, on).await) {
                app.refresh().await;
            }
        });
    });
    let open = RwSignal::new(false);
    let count = move || hung.with(Vec::len);
    view! {
        {own}
        <details class="field-group hung-group" data-testid="lorebooks-hung" on:toggle=move |_| open.set(true)>
            <summary>
                <h2>{say(app, L::Lorebooks)}</h2>
                {move || Some(count()).filter(|count| *count > 0).map(|count| view! { <span class="number field-group-count" aria-hidden="true">{count}</span> })}
            </summary>
            <div class="form">
                <p class="field-note">{say(app, L::HungHint)}</p>
                {move || open.get().then(|| view! { <Hungs hung=hung.into() hang /> })}
            </div>
        </details>
    }
}
