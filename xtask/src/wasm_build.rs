//! The Worker as `wrangler` takes it: `build/index.js` and `build/index_bg.wasm`.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build_tools::BuildTools;
use crate::command::{capture, run, say};
use crate::failure::{Failure, Result, at};
use crate::node_tools;
use crate::toolchain::Toolchain;
use crate::wasm_size::WasmSize;
use crate::workspace::Workspace;

/// The profile that is built, served by `dev`, tested and deployed: one, so that what was tested is
/// what runs.
const PROFILE: &str = "--release";

/// Besides the sources, all that the output depends on. package-lock.json pins what binds and
/// bundles.
const INPUTS: [&str; 5] = [
    "Cargo.toml",
    "note/Cargo.toml",
    "Cargo.lock",
    ".cargo/config.toml",
    "package-lock.json",
];

/// Builds what has changed, and says how large it is.
pub(crate) fn build(workspace: &Workspace) -> Result<WasmSize> {
    let inputs = fingerprint(workspace)?;
    let stamp = Stamp {
        path: workspace.target("wasm/stamp"),
    };
    let module = workspace.path("build/index_bg.wasm");
    if let Some(size) = stamp
        .read(inputs)
        .filter(|size| is_intact(workspace, &module, *size))
    {
        say(format!("build/ is up to date: {size}"));
        return Ok(size);
    }
    let toolchain = Toolchain::provision(workspace)?;
    node_tools::provision(workspace)?;
    let tools = BuildTools::provision(workspace)?;
    say("building the Worker");
    run(&mut worker_build(workspace, &toolchain, &tools)?)?;
    pack(workspace, &module)?;
    let size = WasmSize::measure(workspace, &module)?;
    stamp.write(inputs, size)?;
    say(format!("built build/: {size}"));
    Ok(size)
}

fn worker_build(
    workspace: &Workspace,
    toolchain: &Toolchain,
    tools: &BuildTools,
) -> Result<Command> {
    let mut command = workspace.command(&tools.worker_build);
    command
        // It keeps the names that `pack` takes out, and takes ten times as long.
        .args([PROFILE, "--no-opt"])
        // It would download each of these.
        .env("WASM_BINDGEN_BIN", &tools.wasm_bindgen)
        .env("ESBUILD_BIN", workspace.node_bin().join("esbuild"))
        // Where the person has this set, a stack of its own would follow every compile error.
        .env("RUST_BACKTRACE", "0");
    toolchain.apply(workspace, &mut command)?;
    Ok(command)
}

/// Makes the module smaller by what takes seconds:
///
/// - The names of functions go, a fifth of the compressed module. A panic still says its message,
///   file and line.
/// - The functions that are called most get the shortest numbers: a fiftieth.
/// - Functions that are equal become one.
///
/// Binaryen's optimizer is left alone: after link-time optimization for size, `-O` saves a tenth of
/// the raw module, none of the compressed one, and costs half a minute.
fn pack(workspace: &Workspace, module: &Path) -> Result<()> {
    /// What rustc's modules and wasm-bindgen's glue use; no more, so that nothing is written that
    /// workerd does not read.
    const FEATURES: [&str; 7] = [
        "--enable-bulk-memory",
        "--enable-exception-handling",
        "--enable-multivalue",
        "--enable-mutable-globals",
        "--enable-nontrapping-float-to-int",
        "--enable-reference-types",
        "--enable-sign-ext",
    ];
    /// In this order.
    const PASSES: [&str; 4] = [
        "--strip-debug",
        "--duplicate-function-elimination",
        "--remove-unused-module-elements",
        "--reorder-functions",
    ];
    let packed = module.with_extension("packed");
    let mut wasm_opt = workspace.node_tool("wasm-opt")?;
    wasm_opt
        .args(PASSES)
        .args(FEATURES)
        .arg(module)
        .arg("-o")
        .arg(&packed);
    run(&mut wasm_opt)?;
    fs::rename(&packed, module).map_err(at(&packed))
}

/// Whether the files are there, and the module is the one that was measured.
fn is_intact(workspace: &Workspace, module: &Path, size: WasmSize) -> bool {
    workspace.path("build/index.js").is_file()
        && fs::metadata(module).is_ok_and(|file| file.len() == size.raw)
}

/// A hash of everything the output depends on: contents, because git sets file times as it likes.
fn fingerprint(workspace: &Workspace) -> Result<u64> {
    let mut files = INPUTS.map(|name| workspace.path(name)).to_vec();
    for folder in ["src", "note/src"] {
        collect_files(&workspace.path(folder), &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    PROFILE.hash(&mut hasher);
    capture(Command::new("rustc").arg("-vV")).hash(&mut hasher);
    for file in files {
        let contents = fs::read(&file).map_err(at(&file))?;
        workspace.shown(&file).to_string().hash(&mut hasher);
        contents.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let path = entry.map_err(at(folder))?.path();
        if path.is_dir() {
            collect_files(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// What the last build was made of, and what came out.
struct Stamp {
    path: PathBuf,
}

impl Stamp {
    /// The sizes, if the last build had these inputs.
    fn read(&self, inputs: u64) -> Option<WasmSize> {
        let text = fs::read_to_string(&self.path).ok()?;
        let (built_from, size) = text.split_once(' ')?;
        (built_from == inputs.to_string()).then(|| WasmSize::parse(size))?
    }

    fn write(&self, inputs: u64, size: WasmSize) -> Result<()> {
        let Some(folder) = self.path.parent() else {
            return Err(Failure::new("the stamp has no folder"));
        };
        fs::create_dir_all(folder).map_err(at(folder))?;
        let text = format!("{inputs} {} {}", size.raw, size.gzip);
        fs::write(&self.path, text).map_err(at(&self.path))
    }
}
