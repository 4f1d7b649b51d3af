//! The three neighbouring ports of the local stack.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

use crate::failure::{Failure, Result};
use crate::options::Options;

/// Where the Worker listens unless `--port` says otherwise. `.dev.vars.example` is written for it.
const DEFAULT: u16 = 8787;

/// The Worker's port N; the `OpenID` provider has N+1 and the GitHub look-alike N+2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ports(u16);

impl Default for Ports {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl Ports {
    /// Takes `--port N`.
    pub(crate) fn from_options(options: &mut Options) -> Result<Self> {
        let Some(value) = options.value("--port")? else {
            return Ok(Self::default());
        };
        let port = value
            .parse()
            .ok()
            .filter(|port| (1..=u16::MAX - 2).contains(port));
        port.map(Self).ok_or_else(|| {
            Failure::usage(format!(
                "--port takes a number from 1 to {}, not `{value}`",
                u16::MAX - 2
            ))
        })
    }

    /// The Worker.
    pub(crate) fn worker(self) -> u16 {
        self.0
    }

    /// The `OpenID` provider.
    pub(crate) fn openid(self) -> u16 {
        self.0 + 1
    }

    /// The GitHub look-alike.
    pub(crate) fn look_alike(self) -> u16 {
        self.0 + 2
    }

    /// `text` with each `localhost` URL of the default ports moved to these.
    pub(crate) fn move_urls(self, text: &str) -> String {
        let default = Self::default();
        let pairs = [
            (default.worker(), self.worker()),
            (default.openid(), self.openid()),
            (default.look_alike(), self.look_alike()),
        ];
        // By way of a mark that no URL holds, so that a moved port is not moved again.
        let marked = pairs.iter().fold(text.to_owned(), |text, (from, to)| {
            text.replace(&format!("localhost:{from}"), &format!("localhost:\0{to}"))
        });
        marked.replace('\0', "")
    }
}

/// Refuses a port that something listens on, on either loopback address: clients try both.
pub(crate) fn demand_free(ports: &[u16]) -> Result<()> {
    for &port in ports {
        let addresses = [
            SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            SocketAddr::from((Ipv6Addr::LOCALHOST, port)),
        ];
        for address in addresses {
            let Err(error) = TcpListener::bind(address) else {
                continue;
            };
            if error.kind() == std::io::ErrorKind::AddrInUse {
                return Err(Failure::new(format!(
                    "port {port} is in use: end what listens there, or choose others with --port N \
                     (takes N, N+1 and N+2)"
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports(line: &str) -> Result<Ports> {
        Ports::from_options(&mut Options::new(
            line.split(' ').map(str::to_owned).collect(),
        ))
    }

    #[test]
    fn three_ports_fit_or_are_refused() {
        assert_eq!(ports("--fresh").unwrap(), Ports(8787));
        assert_eq!(ports("--port 65533").unwrap().look_alike(), 65535);
        for wrong in ["0", "65534", "70000", "-1", "http"] {
            assert!(ports(&format!("--port {wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn neighbouring_ports_do_not_move_twice() {
        let text = "A=http://localhost:8787 B=http://localhost:8788/x C=http://localhost:8789";
        assert_eq!(
            Ports(8788).move_urls(text),
            "A=http://localhost:8788 B=http://localhost:8789/x C=http://localhost:8790"
        );
    }

    #[test]
    fn a_busy_port_is_named() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let failure = demand_free(&[port]).unwrap_err();
        assert!(
            failure
                .text()
                .unwrap()
                .starts_with(&format!("port {port} is in use"))
        );
        drop(listener);
        demand_free(&[port]).unwrap();
    }
}
