//! Vectors from an OpenAI-compatible server.

use std::rc::Rc;

use fabula::{
    ports::{Clock, Future, Llm, WireRequest, WireResponse},
    sim::llm::{self, Answer, Step},
    story::{
        connection::{Connection, ProviderKind},
        fault::{Fault, FaultKind},
    },
};
use serde_json::{Value, json};

/// Texts in one request.
const BATCH: usize = 32;

#[derive(Clone)]
pub struct Server {
    address: String,
    model: String,
}

/// Some models read a question otherwise than what may answer it; a server that does not care passes it over.
#[derive(Clone, Copy)]
pub enum Kind {
    Query,
    Passage,
}

impl Server {
    /// `url` with or without `/v1`, with or without `/embeddings`.
    pub fn new(url: &str, model: String) -> Self {
        let base = url.trim_end_matches('/').trim_end_matches("/embeddings").trim_end_matches("/v1");
        Self { address: format!("{base}/v1/embeddings"), model }
    }

    /// As a storyline is told of it.
    pub fn connection(&self) -> Connection {
        Connection {
            id: "vectors".into(),
            kind: ProviderKind::Openai,
            url: self.address.trim_end_matches("/embeddings").to_owned(),
            model: self.model.clone(),
            ..Connection::default()
        }
    }

    /// Unit vectors of `texts`, in order.
    pub fn embed(&self, texts: &[&str], kind: Kind) -> Result<Vec<Vec<f32>>, String> {
        let mut vectors = Vec::new();
        for batch in texts.chunks(BATCH) {
            vectors.extend(self.request(batch, kind).map_err(|error| format!("{}: {error}", self.address))?);
        }
        Ok(vectors)
    }

    fn request(&self, texts: &[&str], kind: Kind) -> Result<Vec<Vec<f32>>, String> {
        let kind = match kind {
            Kind::Query => "query",
            Kind::Passage => "passage",
        };
        let body = json!({"model": self.model, "input": texts, "input_type": kind}).to_string();
        let request = minreq::post(&self.address).with_header("content-type", "application/json").with_body(body);
        let response = request.send().map_err(|error| error.to_string())?;
        let text = response.as_str().map_err(|error| error.to_string())?;
        if response.status_code != 200 {
            return Err(format!("status {}: {text}", response.status_code));
        }
        let answer: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let data = answer["data"].as_array().ok_or("no `data` in the answer")?;
        if data.len() != texts.len() {
            return Err(format!("{} vectors for {} texts", data.len(), texts.len()));
        }
        let vector = |item: &Value| {
            let numbers = item["embedding"].as_array().ok_or("no `embedding` in the answer")?;
            let numbers: Vec<f32> = numbers.iter().map(|number| number.as_f64().unwrap_or(0.0) as f32).collect();
            let length = dot(&numbers, &numbers).sqrt().max(f32::MIN_POSITIVE);
            Ok(numbers.into_iter().map(|number| number / length).collect())
        };
        data.iter().map(vector).collect()
    }
}

pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Lets requests for vectors out to where they go, and hands on all others.
pub struct Wire {
    pub others: Rc<dyn Llm>,
    pub clock: Rc<dyn Clock>,
}

impl Llm for Wire {
    fn send(&self, request: WireRequest) -> Future<'_, Result<WireResponse, Fault>> {
        if !request.url.ends_with("/embeddings") {
            return self.others.send(request);
        }
        let asked = request
            .headers
            .iter()
            .fold(minreq::post(&request.url), |asked, (name, value)| asked.with_header(name, value));
        let answer = match asked.with_body(request.body.unwrap_or_default()).send() {
            Ok(response) => Ok(Answer {
                status: response.status_code as u16,
                headers: Vec::new(),
                steps: vec![Step::Bytes(response.into_bytes())],
            }),
            Err(error) => Err(Fault::new(FaultKind::Unreachable, error.to_string())),
        };
        let clock = self.clock.clone();
        Box::pin(async move { answer.map(|answer| llm::play(answer, clock)) })
    }
}
