//! Waiting by Workers' timers.

use std::time::Duration;

use async_trait::async_trait;
use worker::Delay;

use crate::runtime::Sleep;

/// `setTimeout`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkerSleep;

#[async_trait(?Send)]
impl Sleep for WorkerSleep {
    async fn sleep(&self, duration: Duration) {
        Delay::from(duration).await;
    }
}
