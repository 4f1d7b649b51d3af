//! Secrets and variables of the deployment.

use worker::Env;

use crate::config::Environment;

/// The bindings of one Worker invocation. A secret and a variable read the same.
pub(crate) struct WorkerEnvironment<'a>(pub(crate) &'a Env);

impl Environment for WorkerEnvironment<'_> {
    fn get(&self, key: &str) -> Option<String> {
        self.0.var(key).ok().map(|value| value.to_string())
    }
}
