//! stub
use super::app::App;
pub async fn purge_bin(_app: App) {}
