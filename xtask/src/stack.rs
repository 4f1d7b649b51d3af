//! The local stack: the Worker under `wrangler dev`, and what it talks to.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use crate::command::{run, say};
use crate::failure::{Failure, Result, at};
use crate::interrupt;
use crate::ports::{Ports, demand_free};
use crate::process::POLL;
use crate::server::Server;
use crate::worker_env;
use crate::workspace::Workspace;

/// A large vault is committed to git at the first start.
const LOOK_ALIKE_PATIENCE: Duration = Duration::from_mins(5);
const OPENID_PATIENCE: Duration = Duration::from_mins(1);
const WORKER_PATIENCE: Duration = Duration::from_mins(2);

/// The people that the `OpenID` provider knows, and what becomes of them.
pub(crate) const USERS: [(&str, &str); 4] = [
    ("owner@example.test", "reads and writes"),
    ("reader@example.test", "reads"),
    ("stranger@example.test", "is refused: not on the allowlist"),
    (
        "unverified@example.test",
        "is refused: the e-mail address is not verified",
    ),
];

/// What a stack is made of.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    workspace: &'a Workspace,
    ports: Ports,
    vault: Option<PathBuf>,
    state: PathBuf,
}

impl<'a> Plan<'a> {
    /// A stack on `ports` with the sample vault, or with a copy of the folder `vault`.
    ///
    /// Each pair of port and vault has a state of its own: what was written into the sample vault
    /// does not show up in the person's, and two stacks can run side by side.
    pub(crate) fn new(workspace: &'a Workspace, ports: Ports, vault: Option<&str>) -> Result<Self> {
        let vault = vault.map(existing_folder).transpose()?;
        let name = vault
            .as_deref()
            .map_or_else(|| "sample".to_owned(), state_name);
        let state = workspace.target(&format!("dev/{}/{name}", ports.worker()));
        Ok(Self {
            workspace,
            ports,
            vault,
            state,
        })
    }

    /// Forgets what earlier runs stored.
    pub(crate) fn forget(&self) -> Result<()> {
        if self.state.exists() {
            fs::remove_dir_all(&self.state).map_err(at(&self.state))?;
        }
        Ok(())
    }

    /// Refuses to start where a port is taken.
    pub(crate) fn demand_free_ports(&self, with_worker: bool) -> Result<()> {
        let ports = [
            self.ports.worker(),
            self.ports.openid(),
            self.ports.look_alike(),
        ];
        demand_free(ports.get(usize::from(!with_worker)..).unwrap_or_default())
    }

    /// Where the servers write what they have to say.
    pub(crate) fn logs(&self) -> PathBuf {
        self.workspace.target("dev/logs")
    }

    /// Starts the GitHub look-alike and the `OpenID` provider, and waits until both are ready.
    pub(crate) fn start_surroundings(&self) -> Result<Stack> {
        fs::create_dir_all(self.logs()).map_err(at(&self.logs()))?;
        fs::create_dir_all(&self.state).map_err(at(&self.state))?;
        let program = build_look_alike(self.workspace)?;
        say("starting the GitHub look-alike and the OpenID provider");
        let mut look_alike = self.start("look-alike", &mut self.look_alike(program))?;
        let mut openid = self.start("openid", &mut self.openid()?)?;
        look_alike.wait_for_ready_line(LOOK_ALIKE_PATIENCE)?;
        openid.wait_for_ready_line(OPENID_PATIENCE)?;
        Ok(Stack {
            servers: vec![look_alike, openid],
        })
    }

    /// Adds the Worker to `stack`, and waits until it answers.
    pub(crate) fn start_worker(&self, stack: &mut Stack) -> Result<()> {
        say("starting the Worker under wrangler dev");
        let mut worker = self.start("worker", &mut self.wrangler_dev()?)?;
        worker.wait_for_answer(
            (self.ports.worker(), "/healthz"),
            "[ERROR]",
            WORKER_PATIENCE,
        )?;
        stack.servers.push(worker);
        Ok(())
    }

    fn start(&self, name: &'static str, command: &mut Command) -> Result<Server> {
        let log = self
            .logs()
            .join(format!("{name}-{}.log", self.ports.worker()));
        Server::start(name, command, log)
    }

    fn look_alike(&self, program: PathBuf) -> Command {
        let mut command = self.workspace.command(program);
        command.args(["--port", &self.ports.look_alike().to_string()]);
        command.arg("--state").arg(self.state.join("look-alike"));
        if let Some(vault) = &self.vault {
            command.arg("--vault").arg(vault);
        }
        command
    }

    fn openid(&self) -> Result<Command> {
        let mut command = self.workspace.node_tool("node")?;
        command.arg("dev/openid/provider.mjs");
        command.args(["--port", &self.ports.openid().to_string()]);
        command.args([
            "--worker",
            &format!("http://localhost:{}", self.ports.worker()),
        ]);
        Ok(command)
    }

    fn wrangler_dev(&self) -> Result<Command> {
        let env_file = self.state.join("worker.env");
        fs::write(&env_file, worker_env::derive(self.workspace, self.ports)?)
            .map_err(at(&env_file))?;
        let mut command = wrangler(self.workspace)?;
        command
            .args([
                "dev",
                "--ip",
                "127.0.0.1",
                "--port",
                &self.ports.worker().to_string(),
            ])
            // Any free port: two stacks would want the same one.
            .args([
                "--inspector-port",
                "0",
                "--show-interactive-dev-session",
                "false",
            ])
            // With an env file of its own, wrangler looks at no `.dev.vars`.
            .arg("--env-file")
            .arg(env_file)
            .arg("--persist-to")
            .arg(self.state.join("worker"));
        Ok(command)
    }
}

/// `wrangler` of package.json: asks nothing, reports nothing, and finds no login of the person's.
pub(crate) fn wrangler(workspace: &Workspace) -> Result<Command> {
    let mut command = workspace.node_tool("wrangler")?;
    command
        .env("CI", "1")
        .env("NO_COLOR", "1")
        .env("WRANGLER_SEND_METRICS", "false")
        .env("XDG_CONFIG_HOME", workspace.target("dev/config"));
    Ok(command)
}

/// Builds the GitHub look-alike and returns its path.
pub(crate) fn build_look_alike(workspace: &Workspace) -> Result<PathBuf> {
    say("building the GitHub look-alike");
    run(workspace
        .cargo()
        .args(["build", "--package", "vault-mcp-dev", "--bins"]))?;
    Ok(workspace.target("debug/look-alike"))
}

/// Running servers. Dropping it ends them all.
#[derive(Debug)]
pub(crate) struct Stack {
    servers: Vec<Server>,
}

impl Stack {
    /// Returns when the person asks for the end.
    ///
    /// # Errors
    /// When a server ends by itself: which, and how its log ends.
    pub(crate) fn serve(&mut self) -> Result<()> {
        while !interrupt::requested() {
            for server in &mut self.servers {
                server.check()?;
            }
            sleep(POLL * 5);
        }
        Ok(())
    }
}

fn existing_folder(path: &str) -> Result<PathBuf> {
    let folder = fs::canonicalize(path).map_err(at(Path::new(path)))?;
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(Failure::new(format!(
        "--vault takes a folder, and {path} is not one"
    )))
}

/// A folder name that two vaults of the same name do not share.
fn state_name(vault: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    vault.hash(&mut hasher);
    let name = vault.file_name().unwrap_or_default().to_string_lossy();
    let readable: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(20)
        .collect();
    format!("vault-{readable}-{:016x}", hasher.finish())
}
