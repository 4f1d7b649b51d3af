//! A compiler for the Wasm target made of Debian's packages.
//!
//! Debian ships a current compiler as `rustc-web` together with the source of its standard
//! library, but not the library built for Wasm. It is built once (about a minute) and put into a
//! sysroot under `target/`; a wrapper named `rustc` points Debian's compiler at it. Nothing is
//! written into the system's folders besides the packages themselves.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{capture, run, say};
use crate::failure::{Failure, Result, at};
use crate::system_packages;
use crate::toolchain::WASM_TARGET;
use crate::workspace::Workspace;

const RUSTC: &str = "/usr/bin/rustc";
const CARGO: &str = "/usr/bin/cargo";
/// A link to the linker that this compiler wants, as `lld-22`.
const LINKER: &str = "/usr/bin/rust-lld";
const PACKAGES: [&str; 5] = [
    "rustc-web",
    "cargo-web",
    "rust-web-src",
    "rust-web-clippy",
    "rust-web-llvm",
];

/// `$0` keeps the folder movable.
const WRAPPER: &str = "#!/bin/sh\nexec /usr/bin/rustc --sysroot \"${0%/*}/../sysroot\" \"$@\"\n";

/// An empty package: building it with `-Zbuild-std` builds the standard library. The table
/// `workspace` keeps cargo from looking for one in the folders above.
const STD_MANIFEST: &str = "[package]\nname = \"wasm-std\"\nedition = \"2024\"\n\n[workspace]\n";

/// The folder that holds the wrapper and the sysroot.
#[derive(Debug)]
pub(crate) struct WasmSysroot {
    home: PathBuf,
}

impl WasmSysroot {
    /// clippy of the same packages.
    pub(crate) const CARGO_CLIPPY: &str = "/usr/bin/cargo-clippy";

    /// The one of an earlier run, unless the packages have changed since.
    pub(crate) fn built_earlier(workspace: &Workspace) -> Option<Self> {
        let built = Self {
            home: workspace.target("wasm-toolchain"),
        };
        let version = fs::read_to_string(built.version_file()).ok()?;
        (packages_are_installed() && version == compiler_version()?).then_some(built)
    }

    /// Whether the packages are there or can be installed.
    pub(crate) fn can_build() -> bool {
        packages_are_installed() || system_packages::can_install()
    }

    /// Installs what is missing and builds the standard library.
    pub(crate) fn build(workspace: &Workspace) -> Result<Self> {
        install_packages()?;
        say(format!(
            "building the standard library for {WASM_TARGET}, once (about a minute)"
        ));
        let built = Self {
            home: workspace.target("wasm-toolchain"),
        };
        if built.home.exists() {
            fs::remove_dir_all(&built.home).map_err(at(&built.home))?;
        }
        let libraries = built.build_standard_library()?;
        built.fill_sysroot(&libraries)?;
        built.write_wrappers()?;
        let scratch = built.scratch();
        fs::remove_dir_all(&scratch).map_err(at(&scratch))?;
        // Written last: an interrupted build is not taken for a finished one.
        let version = compiler_version().unwrap_or_default();
        fs::write(built.version_file(), version).map_err(at(&built.version_file()))?;
        Ok(built)
    }

    /// The folder with `rustc` and `cargo`, to be put in front of PATH.
    pub(crate) fn bin(&self) -> PathBuf {
        self.home.join("bin")
    }

    /// What the compiler is told with `--sysroot`.
    pub(crate) fn path(&self) -> PathBuf {
        self.home.join("sysroot")
    }

    fn scratch(&self) -> PathBuf {
        self.home.join("std")
    }

    fn version_file(&self) -> PathBuf {
        self.home.join("VERSION")
    }

    /// Returns the folder with the libraries.
    fn build_standard_library(&self) -> Result<PathBuf> {
        let package = self.scratch();
        create_dir(&package.join("src"))?;
        write(&package.join("Cargo.toml"), STD_MANIFEST)?;
        write(&package.join("src/lib.rs"), "#![no_std]\n")?;
        let target = package.join("target");
        run(Command::new(CARGO)
            .current_dir(&package)
            .args(["build", "--release", "--target", WASM_TARGET])
            .arg("-Zbuild-std=std,panic_abort")
            .env("CARGO_TARGET_DIR", &target)
            .env("RUSTC", RUSTC)
            // A stable compiler takes `-Z` only with this. It belongs to this one build.
            .env("RUSTC_BOOTSTRAP", "1")
            // The Worker's link-time optimization reads bitcode out of the libraries.
            .env("RUSTFLAGS", "-Cembed-bitcode=yes"))?;
        Ok(target.join(WASM_TARGET).join("release/deps"))
    }

    /// The host's libraries as a link, ours as files.
    fn fill_sysroot(&self, libraries: &Path) -> Result<()> {
        let rustlib = self.path().join("lib/rustlib");
        let ours = rustlib.join(WASM_TARGET).join("lib");
        create_dir(&ours)?;
        for entry in fs::read_dir(libraries).map_err(at(libraries))? {
            let file = entry.map_err(at(libraries))?.path();
            let Some(name) = file.file_name().and_then(|name| name.to_str()) else {
                continue;
            };
            let is_library = file
                .extension()
                .is_some_and(|extension| extension == "rlib");
            if is_library && !name.starts_with("libwasm_std-") {
                fs::copy(&file, ours.join(name)).map_err(at(&file))?;
            }
        }
        let host = host_triple()
            .ok_or_else(|| Failure::new(format!("{RUSTC} does not say which host it is for")))?;
        let system = capture(Command::new(RUSTC).args(["--print", "sysroot"])).unwrap_or_default();
        let link = rustlib.join(&host);
        symlink(Path::new(&system).join("lib/rustlib").join(&host), &link).map_err(at(&link))
    }

    fn write_wrappers(&self) -> Result<()> {
        create_dir(&self.bin())?;
        let rustc = self.bin().join("rustc");
        write(&rustc, WRAPPER)?;
        fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).map_err(at(&rustc))?;
        let cargo = self.bin().join("cargo");
        symlink(CARGO, &cargo).map_err(at(&cargo))
    }
}

fn create_dir(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(at(path))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(at(path))
}

/// Whether the compiler, its source, its clippy and its linker are there.
fn packages_are_installed() -> bool {
    let source = capture(Command::new(RUSTC).args(["--print", "sysroot"]))
        .map(|sysroot| Path::new(&sysroot).join("lib/rustlib/src/rust/library/std"));
    source.is_some_and(|folder| folder.is_dir())
        && [CARGO, WasmSysroot::CARGO_CLIPPY, LINKER]
            .iter()
            .all(|file| Path::new(file).exists())
}

fn install_packages() -> Result<()> {
    if packages_are_installed() {
        return Ok(());
    }
    let purpose = format!("to build for {WASM_TARGET}");
    system_packages::install(&PACKAGES, &purpose)?;
    let linker = Path::new(LINKER);
    if !linker.exists() {
        // The link dangles until the package of its name is there.
        let package = fs::read_link(linker).map_err(at(linker))?;
        system_packages::install(&[&package.to_string_lossy()], &purpose)?;
    }
    Ok(())
}

fn compiler_version() -> Option<String> {
    capture(Command::new(RUSTC).arg("-vV"))
}

fn host_triple() -> Option<String> {
    let version = compiler_version()?;
    version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
}
