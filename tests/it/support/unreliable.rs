//! A connection that loses answers, and requests that arrive after nobody waits for them any more.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use vault_mcp::runtime::{ByteStream, FetchError, HttpClient, Limits, StreamingHttpClient};

use super::{chance::Chance, http_client::LoopbackClient};

/// What the connection does to requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Connection {
    /// It carries them.
    #[default]
    Good,
    /// One answer in three is lost.
    LosesAnswers,
    /// One change in three arrives only after its sender has given it up, some requests later.
    IsLate,
    /// Nothing gets through.
    Down,
}

/// The client of such a connection.
#[derive(Debug)]
pub(crate) struct UnreliableClient {
    inner: LoopbackClient,
    chance: Rc<Chance>,
    connection: Cell<Connection>,
    late: RefCell<Vec<(u64, Request<Bytes>, Limits)>>,
}

impl UnreliableClient {
    /// A connection that is good until it is made another.
    pub(crate) fn new(chance: Rc<Chance>) -> Self {
        Self {
            inner: LoopbackClient::new(),
            chance,
            connection: Cell::default(),
            late: RefCell::default(),
        }
    }

    /// Makes the connection good or bad.
    pub(crate) fn set(&self, connection: Connection) {
        self.connection.set(connection);
    }

    /// Delivers every request that is still on its way.
    pub(crate) async fn deliver_all(&self) {
        let late = self.late.take();
        for (_, request, limits) in late {
            drop(self.inner.send(request, limits).await);
        }
    }

    /// Delivers what is late enough.
    async fn deliver_due(&self) {
        let mut due = Vec::new();
        self.late
            .borrow_mut()
            .retain_mut(|(left, request, limits)| {
                let is_due = *left == 0;
                if is_due {
                    due.push((request.clone(), *limits));
                }
                *left = left.saturating_sub(1);
                !is_due
            });
        for (request, limits) in due {
            drop(self.inner.send(request, limits).await);
        }
    }
}

#[async_trait(?Send)]
impl HttpClient for UnreliableClient {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: Limits,
    ) -> Result<Response<Bytes>, FetchError> {
        self.deliver_due().await;
        match self.connection.get() {
            Connection::LosesAnswers if self.chance.one_in(3) => {
                drop(self.inner.send(request, limits).await);
                Err(FetchError::Network("the connection broke".to_owned()))
            }
            Connection::IsLate if !request.method().is_safe() && self.chance.one_in(3) => {
                let wait = self.chance.below(4);
                self.late.borrow_mut().push((wait, request, limits));
                Err(FetchError::Timeout)
            }
            Connection::Down => Err(FetchError::Network("no route".to_owned())),
            Connection::Good | Connection::LosesAnswers | Connection::IsLate => {
                self.inner.send(request, limits).await
            }
        }
    }
}

#[async_trait(?Send)]
impl StreamingHttpClient for UnreliableClient {
    async fn open(
        &self,
        request: Request<Bytes>,
        limits: Limits,
    ) -> Result<Response<ByteStream>, FetchError> {
        match self.connection.get() {
            Connection::Down => Err(FetchError::Network("no route".to_owned())),
            Connection::Good | Connection::LosesAnswers | Connection::IsLate => {
                self.inner.open(request, limits).await
            }
        }
    }
}
