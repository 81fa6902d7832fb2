//! Addresses of providers: checked, joined and judged. A small check of our own, since the `url` crate
//! brings tables that the page would have to load.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::known::Known;
use crate::story::{
    connection::ProviderKind,
    fault::{Fault, FaultKind},
};

/// Names of query parameters that carry keys: a key in an address ends in logs, histories and error reports.
const KEY_PARAMETERS: [&str; 6] = ["key", "api_key", "api-key", "apikey", "token", "access_token"];

/// An absolute http(s) address, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// `http` or `https`.
    pub scheme: &'static str,
    /// Lower-case, without port; IPv6 in brackets.
    pub host: String,
    /// `None` where it is the scheme's own.
    pub port: Option<u16>,
    /// Begins with `/`, or is empty; no slash at the end.
    pub path: String,
    /// Without `?`; some gateways want one (`api-version=…`).
    pub query: String,
}

impl Address {
    /// Reads an address as a person wrote or pasted it.
    ///
    /// # Errors
    /// `BadAddress` with the reason, in English (the page has its own words for the kind).
    pub fn parse(text: &str) -> Result<Self, Fault> {
        parse(text.trim()).map_err(|reason| Fault::new(FaultKind::BadAddress, reason))
    }

    /// `scheme://host[:port]`.
    pub fn origin(&self) -> String {
        let Self { scheme, host, .. } = self;
        match self.port {
            Some(port) => format!("{scheme}://{host}:{port}"),
            None => format!("{scheme}://{host}"),
        }
    }

    /// The base without the endpoint that a person may have pasted along with it (`tails`, longest first). Where the host
    /// alone is given and is known, its own base, that of the protocol first; for an unknown host nothing is guessed: a wrong guess
    /// would be harder to see than a 404.
    pub fn base(mut self, kind: ProviderKind, tails: &[&str]) -> Self {
        let tail = tails.iter().find_map(|tail| self.path.strip_suffix(tail));
        if let Some(path) = tail.map(|path| path.trim_end_matches('/').to_owned()) {
            self.path = path;
            // Who pastes the whole endpoint of a server of their own says where it is.
            if is_local(&self.origin()) {
                return self;
            }
        }
        if self.path.is_empty()
            && let Some(known) = Known::behind(&self).min_by_key(|known| known.kind != kind)
        {
            self.path = known.path();
        }
        self
    }

    /// The address of an endpoint below this base; `query` (without `?`) comes before the base's own.
    pub fn join(&self, tail: &str, query: &str) -> String {
        let query = [query, &self.query].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("&");
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}{}{tail}{mark}{query}", self.origin(), self.path)
    }
}

fn parse(text: &str) -> Result<Address, &'static str> {
    if text.is_empty() {
        return Err("the address is empty");
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
        return Err("the address contains a space or a character that no address has");
    }
    let (scheme, rest) = text.split_once("://").ok_or("the address must begin with http:// or https://")?;
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        "http" => "http",
        "https" => "https",
        _ => return Err("the address must begin with http:// or https://"),
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if authority.contains('@') {
        return Err("the address must not contain a user name or password");
    }
    let names_key = |part: &str| {
        let name = part.split('=').next().unwrap_or_default().to_ascii_lowercase();
        KEY_PARAMETERS.contains(&name.as_str())
    };
    if query.split('&').any(names_key) {
        return Err("the address must not contain a key: it has a field of its own");
    }
    let (host, port) = split_port(authority)?;
    let host = host.to_ascii_lowercase();
    check_host(&host)?;
    let port = port.filter(|&port| port != if scheme == "http" { 80 } else { 443 });
    Ok(Address { scheme, host, port, path: path.trim_end_matches('/').to_owned(), query: query.to_owned() })
}

fn split_port(authority: &str) -> Result<(&str, Option<u16>), &'static str> {
    let host_end = if authority.starts_with('[') { authority.find(']').map_or(0, |end| end + 1) } else { 0 };
    let (host, port) = match authority[host_end..].find(':') {
        Some(colon) => (&authority[..host_end + colon], &authority[host_end + colon + 1..]),
        None => (authority, ""),
    };
    if port.is_empty() {
        return Ok((host, None));
    }
    let digits = port.bytes().all(|byte| byte.is_ascii_digit());
    port.parse().ok().filter(|_| digits).map(|port| (host, Some(port))).ok_or("the port is not a number up to 65535")
}

fn check_host(host: &str) -> Result<(), &'static str> {
    if host.is_empty() {
        return Err("the address has no host");
    }
    let good = match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').is_some_and(|ip| ip.parse::<Ipv6Addr>().is_ok()),
        // Beyond ASCII the browser decides (internationalised names).
        None => {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') || !c.is_ascii();
            host.chars().all(fits) && !host.starts_with('.') && !host.contains("..")
        }
    };
    if good { Ok(()) } else { Err("the host is not a valid name") }
}

/// `scheme://host[:port]` in lower case, the scheme's own port left out; `None` if it is no http(s) address.
pub fn origin(url: &str) -> Option<String> {
    Address::parse(url).ok().map(|address| address.origin())
}

/// Whether an address is on this machine or this network: a browser then asks the reader for leave, and
/// the server must be told to allow this page.
pub fn is_local(url: &str) -> bool {
    let Ok(address) = Address::parse(url) else { return false };
    let host = address.host.trim_end_matches('.');
    if let Ok(ip) = host.parse::<Ipv4Addr>() {
        let [a, b, ..] = ip.octets();
        // 100.64/10 is what overlay networks (Tailscale) hand out.
        return ip.is_loopback()
            || ip.is_private()
            || ip.is_link_local()
            || ip.is_unspecified()
            || (a == 100 && b & 0xC0 == 64);
    }
    if let Ok(ip) = host.trim_matches(['[', ']']).parse::<Ipv6Addr>() {
        return ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local();
    }
    host == "localhost" || host.ends_with(".localhost") || host.ends_with(".local")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_joined_tolerantly() {
        #[track_caller]
        fn check(base: &str, want: &str) {
            let base = Address::parse(base)
                .unwrap()
                .base(ProviderKind::Openai, &["/chat/completions", "/completions", "/models"]);
            assert_eq!(base.join("/chat/completions", ""), want);
        }
        check("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions");
        check("https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions");
        check("https://api.openai.com", "https://api.openai.com/v1/chat/completions");
        check("HTTPS://API.OpenAI.com:443//", "https://api.openai.com/v1/chat/completions");
        check("  https://openrouter.ai/api/v1/chat/completions/ \n", "https://openrouter.ai/api/v1/chat/completions");
        check("https://openrouter.ai", "https://openrouter.ai/api/v1/chat/completions");
        check("https://api.deepseek.com", "https://api.deepseek.com/v1/chat/completions");
        check("https://api.moonshot.ai/", "https://api.moonshot.ai/v1/chat/completions");
        check("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions");
        check("http://localhost:8080/chat/completions", "http://localhost:8080/chat/completions");
        check("http://localhost:11435", "http://localhost:11435/chat/completions");
        check("https://api.anthropic.com", "https://api.anthropic.com/v1/chat/completions");
        check("http://localhost:11434/v1/models", "http://localhost:11434/v1/chat/completions");
        check("http://[::1]:8080/Path", "http://[::1]:8080/Path/chat/completions");
        check("https://gate.example/o?api-version=2#x", "https://gate.example/o/chat/completions?api-version=2");
        check("https://例子.example/v1", "https://例子.example/v1/chat/completions");
    }

    #[test]
    fn queries_are_joined() {
        let base = Address::parse("https://gate.example/v1?a=b").unwrap();
        assert_eq!(base.join("/models", "limit=5"), "https://gate.example/v1/models?limit=5&a=b");
    }

    #[test]
    fn bad_addresses_say_why() {
        #[track_caller]
        fn check(text: &str, reason: &str) {
            let fault = Address::parse(text).unwrap_err();
            assert_eq!(fault.kind, FaultKind::BadAddress);
            assert!(fault.detail.contains(reason), "{text:?}: {}", fault.detail);
            assert_eq!(origin(text), None);
        }
        check("", "empty");
        check("  ", "empty");
        check("api.openai.com/v1", "begin with http");
        check("localhost:11434", "begin with http");
        check("ftp://host/", "begin with http");
        check("javascript://host/", "begin with http");
        check("https://", "no host");
        check("https:///v1", "no host");
        check("https://:80/v1", "no host");
        check("https://user:pass@host/v1", "user name");
        check("https://user@host", "user name");
        check("https://ho st/v1", "space");
        check("https://host\\@evil/v1", "space");
        check("https://host:port/v1", "port");
        check("https://host:70000/v1", "port");
        check("https://host:+80/v1", "port");
        check("https://ho%73t/v1", "valid name");
        check("https://ho\"st/v1", "valid name");
        check("https://[::1/v1", "port");
        check("https://[nonsense]/v1", "valid name");
        check("https://a..b/v1", "valid name");
        check("https://host/v1?key=abc", "key");
        check("https://host/v1?a=b&API_KEY=abc", "key");
    }

    #[test]
    fn origins_are_canonical() {
        #[track_caller]
        fn check(url: &str, want: &str) {
            assert_eq!(origin(url).as_deref(), Some(want));
        }
        check("https://API.example.com/v1?x#y", "https://api.example.com");
        check("https://host:443/", "https://host");
        check("https://host:80/", "https://host:80");
        check("http://host:80", "http://host");
        check("http://[::1]:8080/v1", "http://[::1]:8080");
    }

    #[test]
    fn local_addresses_are_known() {
        let local = "localhost localhost:11434 LOCALHOST app.localhost 127.0.0.1 127.9.9.9:1 [::1]:8080 10.1.2.3 \
                     172.16.0.1 172.31.255.1 192.168.1.5:5001 169.254.1.1 100.64.0.1 0.0.0.0 nas.local nas.local. \
                     [fd00::1] [fe80::1]";
        let public = "api.openai.com 172.15.0.1 172.32.0.1 192.169.1.1 11.0.0.1 100.128.0.1 localhost.example.com \
                      notlocal local.example [2001:db8::1] 8.8.8.8";
        for host in local.split_whitespace() {
            assert!(is_local(&format!("http://{host}/v1")), "{host}");
        }
        for host in public.split_whitespace() {
            assert!(!is_local(&format!("http://{host}/v1")), "{host}");
        }
        assert!(!is_local("localhost:11434"));
    }
}
