//! The demonstration.

use std::sync::Arc;

use crate::app::App;

pub async fn run(_app: Arc<App>) {}
