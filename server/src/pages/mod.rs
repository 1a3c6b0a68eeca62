//! Builds the model of each page: one module per page loads the data and composes the model.

pub mod launch;
