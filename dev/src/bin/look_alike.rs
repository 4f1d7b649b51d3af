//! `look-alike --port N --state DIR [--vault DIR] [--fresh]`: the GitHub look-alike as a process.
//!
//! Prints `ready http://localhost:N` when it answers, and ends on Ctrl-C or SIGTERM.

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sha2::{Digest as _, Sha256};
use vault_mcp_dev::{LookAlike, sample_vault};

const USAGE: &str = "\
usage: look-alike --port N --state DIR [--vault DIR] [--fresh]

  --port N     listen on localhost:N
  --state DIR  keep the repositories here; they survive a restart
  --vault DIR  serve a copy of this folder in place of the sample vault; it is only read
  --fresh      forget what an earlier run kept and copy again";

struct Options {
    port: u16,
    state: PathBuf,
    vault: Option<PathBuf>,
    fresh: bool,
}

impl Options {
    fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let (mut port, mut state, mut vault, mut fresh) = (None, None, None, false);
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let name = arg.to_string_lossy().into_owned();
            let mut value = || args.next().ok_or(format!("{name} needs a value"));
            match &*name {
                "--port" => {
                    let text = value()?.to_string_lossy().into_owned();
                    port = Some(text.parse().map_err(|_| format!("not a port: {text}"))?);
                }
                "--state" => state = Some(PathBuf::from(value()?)),
                "--vault" => vault = Some(PathBuf::from(value()?)),
                "--fresh" => fresh = true,
                _ => return Err(format!("unknown argument {name}")),
            }
        }
        Ok(Self {
            port: port.ok_or("--port is missing")?,
            state: state.ok_or("--state is missing")?,
            vault,
            fresh,
        })
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = match Options::parse(std::env::args_os().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("look-alike: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("look-alike: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let mut builder = LookAlike::builder().port(options.port);
    // Each source has its own folder: going from one vault to another and back loses nothing.
    let name = match &options.vault {
        None => {
            builder = builder.seed(sample_vault::files());
            "sample".to_owned()
        }
        Some(vault) => {
            let vault = vault
                .canonicalize()
                .map_err(|error| format!("cannot read {}: {error}", vault.display()))?;
            let name = folder_name(&vault);
            builder = builder.seed_folder(vault);
            name
        }
    };
    let kept = options.state.join(name);
    if options.fresh && kept.exists() {
        std::fs::remove_dir_all(&kept)?;
    }
    if options.vault.is_some() && kept.exists() {
        eprintln!("look-alike: serving the copy made earlier; --fresh copies the folder again");
    }
    let github = builder
        .another(
            "example/other",
            sample_vault::files().into_iter().take(1).collect(),
        )
        .another("example/empty", Vec::new())
        .keep_in(kept)
        .start()
        .await?;
    println!("ready {}", github.url());
    ended().await?;
    Ok(())
}

/// A name for the copy of a folder: its own name to recognise it by, and a hash of the full path.
fn folder_name(vault: &Path) -> String {
    let hash = Sha256::digest(vault.as_os_str().as_encoded_bytes());
    let short = hash
        .iter()
        .take(4)
        .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
    let own = vault.file_name().unwrap_or_default().to_string_lossy();
    let own: String = own
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(24)
        .collect();
    format!("vault-{own}-{short:08x}")
}

/// Returns when the process is told to end.
async fn ended() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            result = tokio::signal::ctrl_c() => result,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
