//! A browser, and where it ends up.

use std::collections::BTreeMap;

use http::{StatusCode, header};
use url::Url;
use vault_mcp::http::Response;

use super::{
    Server,
    requests::{form_request, get, location, text},
};

/// What a browser says of a form that was sent from our own page.
const OWN_FORM: &[(&str, &str)] = &[("origin", "null"), ("sec-fetch-site", "same-origin")];

/// A browser: it keeps cookies and nothing else.
pub(crate) struct Browser<'a> {
    server: &'a Server,
    pub(crate) cookies: BTreeMap<String, String>,
}

impl<'a> Browser<'a> {
    pub(crate) fn new(server: &'a Server) -> Self {
        Self {
            server,
            cookies: BTreeMap::new(),
        }
    }

    pub(crate) fn cookie_header(&self) -> String {
        let pairs: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        pairs.join("; ")
    }

    fn keep_cookies(&mut self, response: &Response) {
        for header in response.headers().get_all(header::SET_COOKIE) {
            let cookie = header.to_str().unwrap();
            let (name, rest) = cookie.split_once('=').unwrap();
            let value = rest.split(';').next().unwrap();
            if cookie.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// `GET /authorize`.
    pub(crate) async fn authorize(&mut self, query: &str) -> Response {
        let request = get(&format!("/authorize?{query}"), &self.cookie_header());
        let response = self.server.oauth.authorize(&request).await;
        self.keep_cookies(&response);
        response
    }

    /// `POST /consent`, as a browser sends our own form.
    pub(crate) async fn decide(&mut self, handle: &str, fields: &[(&str, &str)]) -> Response {
        self.decide_from(handle, fields, OWN_FORM).await
    }

    pub(crate) async fn decide_from(
        &mut self,
        handle: &str,
        fields: &[(&str, &str)],
        headers: &[(&'static str, &str)],
    ) -> Response {
        let fields: Vec<_> = [("handle", handle)].iter().chain(fields).copied().collect();
        self.post("/consent", &fields, headers).await
    }

    /// `GET /sessions`.
    pub(crate) async fn sessions(&mut self) -> Response {
        let request = get("/sessions", &self.cookie_header());
        let response = self.server.oauth.sessions(&request).await;
        self.keep_cookies(&response);
        response
    }

    /// Goes through the login that leads to the page of the person's grants.
    pub(crate) async fn sign_in(&mut self) -> Response {
        let sent = self.post("/sessions/sign-in", &[], OWN_FORM).await;
        self.come_back(&sent).await
    }

    /// Posts one of the forms on the page of the person's grants, as a browser does.
    pub(crate) async fn send_form(&mut self, path: &str, fields: &[(&str, &str)]) -> Response {
        self.post(path, fields, OWN_FORM).await
    }

    /// Posts a form.
    pub(crate) async fn post(
        &mut self,
        path: &str,
        fields: &[(&str, &str)],
        headers: &[(&'static str, &str)],
    ) -> Response {
        let mut request = form_request(path, fields);
        request
            .headers_mut()
            .insert(header::COOKIE, self.cookie_header().parse().unwrap());
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let oauth = &self.server.oauth;
        let response = match path {
            "/consent" => oauth.consent(&request).await,
            "/sessions/sign-in" => oauth.sign_in(&request).await,
            "/sessions/end" => oauth.end_grants(&request).await,
            "/sessions/sign-out" => oauth.sign_out(&request).await,
            other => panic!("no form leads to {other}"),
        };
        self.keep_cookies(&response);
        response
    }

    /// Logs in at the provider that a consent led to, and comes back.
    pub(crate) async fn come_back(&mut self, sent: &Response) -> Response {
        let state = upstream_state(sent);
        self.callback(&format!("code=upstream-code&state={state}"))
            .await
    }

    /// `GET /callback`.
    pub(crate) async fn callback(&mut self, query: &str) -> Response {
        let request = get(&format!("/callback?{query}"), &self.cookie_header());
        let response = self.server.oauth.callback(&request).await;
        self.keep_cookies(&response);
        response
    }
}

/// The state with which a consent sent the person to the provider.
pub(crate) fn upstream_state(sent: &Response) -> String {
    let url = Url::parse(&location(sent)).unwrap();
    assert_eq!(url.host_str(), Some("login.example"), "{url}");
    url.query_pairs()
        .find(|(name, _)| name == "state")
        .unwrap()
        .1
        .into_owned()
}

/// The URL with which a client is called back.
#[derive(Debug)]
pub(crate) struct Callback(pub(crate) Url);

impl Callback {
    pub(crate) fn of(response: &Response) -> Self {
        assert_eq!(
            response.status(),
            StatusCode::SEE_OTHER,
            "{}",
            text(response)
        );
        Self(Url::parse(&location(response)).unwrap())
    }

    /// The value of a parameter that has to stand there exactly once.
    pub(crate) fn one(&self, name: &str) -> String {
        let values = self.all(name);
        assert_eq!(values.len(), 1, "{name} in {}", self.0);
        values[0].clone()
    }

    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        let pairs = self.0.query_pairs().filter(|(present, _)| present == name);
        pairs.map(|(_, value)| value.into_owned()).collect()
    }
}
