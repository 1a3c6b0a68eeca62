//! The time, in the unit of the database.

pub fn now_ms() -> i64 {
    chrono::Utc::now().timestamp_millis()
}
