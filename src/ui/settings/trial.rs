//! Tries a connection: a few words to its model, or the list of its models.

use std::{collections::BTreeMap, future::Future};

use futures_util::{FutureExt, StreamExt, select_biased};

use crate::{
    ports::{Clock, WireRequest, WireResponse},
    provider::{self, Delta, Manners, Message, Purpose, StreamDecoder, log_in},
    story::{
        clip,
        connection::Connection,
        fault::{Fault, FaultKind},
        generation::Usage,
        preset::Role,
        price::Price,
        sampling::Refused,
    },
    ui::app::App,
    web::{clock::BrowserClock, policy},
};

/// How long a test waits in all; a list of models is not worth so much.
const TEST_LIMIT: u32 = 30_000;
const LIST_LIMIT: u32 = 8_000;
/// The same for what follows the end sign.
const AFTER: u32 = 2_000;
/// Enough for a word of greeting, and for models that think first to show that they live.
const TOKENS: u32 = 64;
const HELLO: &str = "Say hello in one word.";
/// So much of an answer is shown (characters), and so much of another body read (bytes).
const SHOWN: usize = 80;
const MAX_BYTES: usize = 4 << 20;

/// What a model answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Greeting {
    pub model: String,
    /// Empty where a model only thought, or was cut before it spoke: it works all the same.
    pub said: String,
    /// What of its sampling it was found to refuse on the way.
    pub refused: Option<Refused>,
    /// What else its server was found to want.
    pub manners: Option<Manners>,
}

/// Says hello, leaves out what of the sampling is refused, and minds what else the server wants.
pub async fn greet(app: App, connection: Connection, key: Option<String>) -> Result<Greeting, Fault> {
    let mut connection = connection;
    connection.sampling.max_tokens = Some(connection.sampling.max_tokens.map_or(TOKENS, |own| own.min(TOKENS)));
    let hello = Message::new(Role::User, HELLO);
    let (known, mut manners) = (Refused::of(&connection), None);
    within(TEST_LIMIT, async {
        let response = loop {
            let request = provider::chat_request(&connection, key.as_deref(), std::slice::from_ref(&hello))?;
            let response = send(app, request).await?;
            if (200..300).contains(&response.status) {
                break response;
            }
            let fault = refusal(&connection, response, key.as_deref()).await;
            if provider::leave_out(&mut connection, &fault).is_none() {
                manners = Some(provider::mind(&mut connection, &fault).ok_or(fault)?);
            }
        };
        let (mut greeting, usage) = listen(&connection, response, key.as_deref()).await?;
        let _ = app.desk().pay_trial(&connection, usage.unwrap_or_default(), HELLO, &greeting.said).await;
        greeting.refused = Some(Refused::of(&connection)).filter(|refused| *refused != known);
        greeting.manners = manners;
        Ok(greeting)
    })
    .await
}

/// Numbers in the vectors of a model.
pub async fn dimension(app: App, connection: Connection, key: Option<String>) -> Result<usize, Fault> {
    let request = provider::embedding_request(&connection, key.as_deref(), &["hello"], Purpose::Query)?;
    within(TEST_LIMIT, async {
        let body = answer(app, request, &connection, key.as_deref()).await?;
        let (vectors, tokens) = provider::counted_embeddings(&body, 1, key.as_deref())?;
        let told = Usage { prompt_tokens: tokens.unwrap_or_default(), ..Usage::default() };
        let _ = app.desk().pay_trial(&connection, told, "hello", "").await;
        Ok(vectors.first().map_or(0, Vec::len))
    })
    .await
}

/// The models that a server offers, and what they cost where it says so.
pub struct Models {
    pub names: Vec<String>,
    pub prices: BTreeMap<String, Price>,
}

pub async fn models(app: App, connection: Connection, key: Option<String>) -> Result<Models, Fault> {
    let request = provider::models_request(&connection, key.as_deref())?;
    within(LIST_LIMIT, async {
        let body = answer(app, request, &connection, key.as_deref()).await?;
        let names = provider::parse_models(connection.kind, &body)?;
        Ok(Models { names, prices: provider::parse_prices(&body) })
    })
    .await
}

/// The key that a log-in has led to.
pub async fn log_in(app: App, code: &str, verifier: &str) -> Result<String, Fault> {
    let connection = Connection { url: log_in::BASE.to_owned(), ..Connection::default() };
    let answer = answer(app, log_in::exchange(code, verifier), &connection, Some(code));
    within(TEST_LIMIT, async { log_in::key(&answer.await?) }).await
}

async fn within<T>(limit: u32, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let mut work = Box::pin(work.fuse());
    let mut watch = BrowserClock.sleep(limit).fuse();
    select_biased! {
        done = work => done,
        () = watch => Err(Fault::new(FaultKind::Stalled, "")),
    }
}

/// A page whose rules forbid the address says so without trying: the browser would only report a violation.
async fn send(app: App, request: WireRequest) -> Result<WireResponse, Fault> {
    if !policy::allows(&request.url) {
        return Err(Fault::new(FaultKind::PolicyBlocked, ""));
    }
    app.browser().ports.llm.send(request).await
}

/// The text of an answer that comes at once; `secret` stands in no fault.
async fn answer(
    app: App,
    request: WireRequest,
    connection: &Connection,
    secret: Option<&str>,
) -> Result<String, Fault> {
    let response = send(app, request).await?;
    if (200..300).contains(&response.status) {
        text(response).await
    } else {
        Err(refusal(connection, response, secret).await)
    }
}

async fn listen(
    connection: &Connection,
    response: WireResponse,
    key: Option<&str>,
) -> Result<(Greeting, Option<Usage>), Fault> {
    let mut decoder = StreamDecoder::new(connection.kind, response.header("content-type")).hiding(key);
    let mut body = response.body;
    let mut usage = None;
    let mut greeting = Greeting { model: connection.model.clone(), said: String::new(), refused: None, manners: None };
    loop {
        // What comes behind the end sign is waited for, not long: some servers leave the line open.
        let chunk = match decoder.is_complete() {
            true => within(AFTER, async { Ok(body.next().await) }).await.ok().flatten().filter(Result::is_ok),
            false => body.next().await,
        };
        let deltas = match &chunk {
            Some(Ok(bytes)) => decoder.push(bytes),
            Some(Err(_)) => Vec::new(),
            None => decoder.finish(),
        };
        for delta in deltas {
            match delta? {
                Delta::Model(model) => greeting.model = model,
                Delta::Text(text) => greeting.said.push_str(&text),
                Delta::WasThought => greeting.said.clear(),
                Delta::Finish(finish) => {
                    if let Some(fault) = finish.fault() {
                        return Err(fault);
                    }
                }
                Delta::Usage(told) => usage = Some(told),
                Delta::Reasoning(_) | Delta::Unread { .. } => {}
            }
        }
        match chunk {
            Some(Ok(_)) if !decoder.is_closed() => {}
            Some(Err(fault)) => return Err(fault),
            _ => break,
        }
    }
    greeting.said = shortened(&greeting.said);
    Ok((greeting, usage))
}

/// One line, not too long.
fn shortened(text: &str) -> String {
    clip(&text.split_whitespace().collect::<Vec<_>>().join(" "), SHOWN)
}

async fn refusal(connection: &Connection, response: WireResponse, key: Option<&str>) -> Fault {
    let (status, headers) = (response.status, response.headers.clone());
    let body = text(response).await.unwrap_or_default();
    provider::fault_from_response(connection.kind, status, &headers, &body, key, BrowserClock.now())
}

async fn text(mut response: WireResponse) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.body.next().await {
        bytes.extend(chunk?);
        if bytes.len() > MAX_BYTES {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
