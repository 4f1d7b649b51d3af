//! The options of one command.

use crate::failure::{Failure, Result};

/// Arguments that nothing has asked for yet. A command takes what it knows, then calls
/// [`Options::finish`], so a misspelt option is refused instead of ignored.
#[derive(Debug)]
pub(crate) struct Options(Vec<String>);

impl Options {
    /// The arguments after the command's name.
    pub(crate) fn new(arguments: Vec<String>) -> Self {
        Self(arguments)
    }

    /// Whether `--name` was given.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|argument| argument != name);
        self.0.len() < before
    }

    /// The value of `--name VALUE` or `--name=VALUE`.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        let joined = format!("{name}=");
        let Some(at) = self
            .0
            .iter()
            .position(|a| a == name || a.starts_with(&joined))
        else {
            return Ok(None);
        };
        let argument = self.0.remove(at);
        if let Some(value) = argument.strip_prefix(&joined) {
            return Ok(Some(value.to_owned()));
        }
        if self.0.get(at).is_none_or(|next| next.starts_with("--")) {
            return Err(Failure::usage(format!("{name} needs a value")));
        }
        Ok(Some(self.0.remove(at)))
    }

    /// The next argument that is not an option.
    pub(crate) fn word(&mut self) -> Option<String> {
        let at = self
            .0
            .iter()
            .position(|argument| !argument.starts_with("--"))?;
        Some(self.0.remove(at))
    }

    /// Refuses whatever is left.
    pub(crate) fn finish(self) -> Result<()> {
        match self.0.first() {
            None => Ok(()),
            Some(left) => Err(Failure::usage(format!(
                "`{left}` is not understood here; `cargo xtask help` lists what is"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> Options {
        Options::new(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn values_stand_alone_or_after_an_equals_sign() {
        let mut given = options("--port 9000 --vault=notes --fresh");
        assert_eq!(given.value("--port").unwrap().as_deref(), Some("9000"));
        assert_eq!(given.value("--vault").unwrap().as_deref(), Some("notes"));
        assert!(given.flag("--fresh"));
        assert!(!given.flag("--fresh"));
        given.finish().unwrap();
    }

    #[test]
    fn an_option_is_not_a_value() {
        let failure = options("--port --fresh").value("--port").unwrap_err();
        assert_eq!(failure.text(), Some("--port needs a value"));
        assert!(options("--port").value("--port").is_err());
    }

    #[test]
    fn what_nothing_asked_for_is_refused() {
        let mut given = options("--frsh");
        assert!(!given.flag("--fresh"));
        assert!(
            given
                .finish()
                .unwrap_err()
                .text()
                .unwrap()
                .contains("--frsh")
        );
    }
}
