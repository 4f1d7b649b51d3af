//! Runs a command in a pseudo-terminal: `pty -- COMMAND ARGS…`.
//!
//! Some clients log in only where a person could answer (`claude mcp login` refuses to start without a terminal), and
//! tests have none. What the command prints comes out on stdout, each line of stdin is typed into the terminal, the
//! end of stdin is the terminal's end of file, and the command's exit code is this program's.

use std::error::Error;
use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// Wide enough that no address a client prints is broken over two lines.
const SIZE: PtySize = PtySize {
    rows: 50,
    cols: 2000,
    pixel_width: 0,
    pixel_height: 0,
};

/// How long output may still arrive after the command has ended: something it started can hold the terminal open.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = match arguments.as_slice() {
        [separator, command @ ..] if separator == "--" && !command.is_empty() => command,
        _ => {
            eprintln!("usage: pty -- COMMAND ARGS…");
            return ExitCode::from(2);
        }
    };
    run(command).unwrap_or_else(|error| {
        eprintln!("pty: {error}");
        ExitCode::from(127)
    })
}

/// Runs the command to its end. A command that a signal ended counts as 1.
fn run(command: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    let mut builder = CommandBuilder::from_argv(command.iter().map(Into::into).collect());
    builder.cwd(std::env::current_dir()?);
    if builder.get_env("TERM").is_none_or(|term| term == "dumb") {
        builder.env("TERM", "xterm");
    }

    let pair = native_pty_system().openpty(SIZE)?;
    let output = pair.master.try_clone_reader()?;
    let keyboard = pair.master.take_writer()?;
    let mut child = pair.slave.spawn_command(builder)?;
    // With this end open here, the output would never end.
    drop(pair.slave);

    let (finished, drained) = mpsc::channel();
    thread::spawn(move || {
        // The terminal reports its end as an error on Linux; either way there is nothing more to copy.
        let _ = copy(output, &mut io::stdout());
        let _ = finished.send(());
    });
    thread::spawn(move || type_lines(io::stdin(), keyboard));

    let status = child.wait()?;
    let _ = drained.recv_timeout(LAST_OUTPUT);
    Ok(ExitCode::from(
        u8::try_from(status.exit_code()).unwrap_or(1),
    ))
}

/// Copies as it arrives, so that whoever reads our stdout can react to a prompt.
fn copy(mut from: impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut buffer = [0; 8192];
    loop {
        let filled = from.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..filled).filter(|bytes| !bytes.is_empty()) else {
            return Ok(());
        };
        to.write_all(bytes)?;
        to.flush()?;
    }
}

/// Types each line and the return key, which sends a carriage return, until either side ends.
fn type_lines(from: impl Read, mut keyboard: impl Write) -> io::Result<()> {
    for line in BufReader::new(from).lines() {
        write!(keyboard, "{}\r", line?)?;
        keyboard.flush()?;
    }
    Ok(())
}
