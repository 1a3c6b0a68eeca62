//! A fresh database for each test, on the engine that the test run is for.

use std::path::Path;

use sqlx::AssertSqlSafe;

#[derive(Clone)]
pub struct TestDatabase {
    pub url: String,
}

impl TestDatabase {
    pub async fn create(dir: &Path) -> Self {
        let url = match std::env::var("RUNLENS_TEST_DATABASE_URL") {
            Err(_) => format!("sqlite://{}", dir.join("runlens.db").display()),
            Ok(server) => {
                sqlx::any::install_default_drivers();
                let name =
                    format!("test_{}", dir.file_name().unwrap().to_string_lossy().replace('.', "").to_lowercase());
                let admin = sqlx::AnyPool::connect(&server).await.unwrap();
                sqlx::query(AssertSqlSafe(format!("CREATE DATABASE \"{name}\""))).execute(&admin).await.unwrap();
                admin.close().await;
                let mut url = url::Url::parse(&server).unwrap();
                url.set_path(&name);
                url.to_string()
            }
        };
        Self { url }
    }

    pub async fn connect(&self) -> sqlx::AnyPool {
        sqlx::any::install_default_drivers();
        sqlx::any::AnyPoolOptions::new().max_connections(1).connect(&self.url).await.unwrap()
    }
}
