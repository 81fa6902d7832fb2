//! The prices of a connection's model, as they are typed or taken from the provider's list.

use leptos::prelude::*;

use super::editor::Editor;
use crate::{
    locales::costs::T as C,
    story::{
        figures::ungrouped_decimal,
        price::{CURRENCY, CURRENCY_LENGTH, Price, decimal, written_out},
    },
    ui::{app::App, fields::TextField, number::Problem},
};

/// Decimals that a price has.
const PLACES: u32 = 6;

/// What is in the fields.
#[derive(Clone, Copy)]
pub struct Prices {
    currency: RwSignal<String>,
    input: RwSignal<String>,
    output: RwSignal<String>,
    cached: RwSignal<String>,
    written: RwSignal<String>,
    /// They are the list's, and nothing was typed since.
    listed: RwSignal<bool>,
}

fn price(text: &str) -> Option<u64> {
    decimal(&ungrouped_decimal(text), PLACES as i32)
}

impl Prices {
    pub fn new(price: Option<&Price>) -> Self {
        let prices = Self {
            currency: RwSignal::new(CURRENCY.to_owned()),
            input: RwSignal::default(),
            output: RwSignal::default(),
            cached: RwSignal::default(),
            written: RwSignal::default(),
            listed: RwSignal::default(),
        };
        prices.fill(price);
        prices
    }

    pub fn fill(self, price: Option<&Price>) {
        let text = |price: Option<u64>| price.map(|price| written_out(price, PLACES)).unwrap_or_default();
        self.currency.set(price.map_or(CURRENCY.to_owned(), |price| price.currency.clone()));
        self.input.set(text(price.map(|price| price.input)));
        self.output.set(text(price.map(|price| price.output)));
        self.cached.set(text(price.and_then(|price| price.cached)));
        self.written.set(text(price.and_then(|price| price.written)));
        self.listed.set(price.is_some_and(|price| price.listed));
    }

    pub fn texts(self) -> [RwSignal<String>; 5] {
        [self.currency, self.input, self.output, self.cached, self.written]
    }

    /// The prices; `None` where there are none.
    pub fn read(self) -> Result<Option<Price>, Problem> {
        let of = |text: RwSignal<String>| match text.with(|text| (text.trim().is_empty(), price(text))) {
            (true, _) => Ok(None),
            (false, Some(price)) => Ok(Some(price)),
            (false, None) => Err(Problem::NotANumber),
        };
        let (cached, written) = (of(self.cached)?, of(self.written)?);
        let currency: String = self.currency.with(|name| name.trim().chars().take(CURRENCY_LENGTH).collect());
        match (of(self.input)?, of(self.output)?) {
            (None, None) if cached.or(written).is_none() => Ok(None),
            (Some(input), Some(output)) => Ok(Some(Price {
                currency: if currency.is_empty() { CURRENCY.to_owned() } else { currency },
                input,
                output,
                cached,
                written,
                listed: self.listed.get(),
            })),
            _ => Err(Problem::BothPrices),
        }
    }

    fn fault(self, app: App, text: RwSignal<String>) -> Signal<Option<String>> {
        Signal::derive(move || {
            let is_one = text.with(|text| !text.trim().is_empty() && price(text).is_none());
            let lacks = || matches!(self.read(), Err(Problem::BothPrices)) && text.with(|text| text.trim().is_empty());
            let is_needed = [self.input, self.output].contains(&text);
            match (is_one, is_needed && lacks()) {
                (true, _) => Some(Problem::NotANumber.words(app)),
                (_, true) => Some(Problem::BothPrices.words(app)),
                _ => None,
            }
        })
    }
}

/// Folded, and open where there are some.
#[component]
pub fn PriceFields(editor: Editor) -> impl IntoView {
    let app = App::here();
    let prices = editor.draft.prices;
    let say = move |text: C| Signal::derive(move || text.text(app.language.get()));
    let typed = move || prices.listed.set(false);
    let field = move |label: C, text: RwSignal<String>, testid: &'static str, hint: Option<C>| {
        let hint = Signal::derive(move || hint.map_or("", |hint| hint.text(app.language.get())));
        view! {
            <TextField label=say(label) value=text testid hint fault=prices.fault(app, text) on:change=move |_| typed() />
        }
    };
    let is_listed = Memo::new(move |_| {
        let model = editor.draft.model.with(|model| model.trim().to_owned());
        editor.prices.with(|listed| listed.contains_key(&model))
    });
    let in_use = prices.input.with_untracked(|text| !text.is_empty());
    view! {
        <details class="more" open=in_use data-testid="connection-prices">
            <summary>{say(C::Prices)}</summary>
            <p class="field-note">{say(C::PricesHint)}</p>
            <div class="columns">
                {field(C::PriceIn, prices.input, "connection-price-input", None)}
                {field(C::PriceOut, prices.output, "connection-price-output", None)}
                {field(C::PriceCached, prices.cached, "connection-price-cached", Some(C::AsInput))}
                {field(C::PriceWritten, prices.written, "connection-price-written", Some(C::AsInput))}
                <TextField label=say(C::Currency) value=prices.currency testid="connection-currency" on:change=move |_| typed() />
            </div>
            <Show when=move || is_listed.get()>
                <button type="button" class="button" data-testid="connection-prices-take" on:click=move |_| editor.take_prices()>{say(C::TakePrices)}</button>
            </Show>
            <p class="field-note" data-testid="connection-prices-source" aria-live="polite">{move || prices.listed.get().then(|| say(C::Listed).get())}</p>
        </details>
    }
}
