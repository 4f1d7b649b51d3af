//! The state itself: what is kept for how long, and how much of it.

use http::StatusCode;
use vault_mcp::{
    oauth::state::{self, CallMeter, DispatchError, Instance, dispatch, expire},
    runtime::{Clock, Sql, Timestamp},
};

use crate::support::oauth::{Browser, CLAUDE, LOOPBACK, START, Server, handle, request};

fn sweep(server: &Server, instance: Instance) -> Option<u64> {
    let next = expire(instance, &*server.objects.sql(instance), server.clock.now()).unwrap();
    next.map(Timestamp::unix_seconds)
}

#[tokio::test]
async fn everything_that_expires_is_forgotten_in_time() {
    let server = Server::new();
    assert_eq!(sweep(&server, Instance::Front), None);
    assert_eq!(sweep(&server, Instance::Grants), None);

    let tokens = server.sign_in().await;
    let mut browser = Browser::new(&server);
    let page = browser
        .authorize(&request(&tokens.client, CLAUDE, &[]))
        .await;
    browser
        .decide(&handle(&page), &[("decision", "approve")])
        .await;

    assert_eq!(sweep(&server, Instance::Front), Some(START + 600));
    assert_eq!(sweep(&server, Instance::Grants), Some(START + 3_600));
    assert!(
        server.access(&tokens.access).await.is_some(),
        "a sweep takes nothing that is live"
    );

    server.wait(600);
    sweep(&server, Instance::Front);
    assert_eq!(server.objects.rows(Instance::Front, "logins"), 0);
    assert_eq!(server.objects.rows(Instance::Front, "consents"), 0);
    assert_eq!(server.objects.rows(Instance::Front, "clients"), 1);

    server.wait(3_000);
    sweep(&server, Instance::Grants);
    assert_eq!(server.objects.rows(Instance::Grants, "access_tokens"), 0);
    assert_eq!(
        server.refresh(&tokens.client, &tokens.refresh).await.0,
        StatusCode::OK
    );

    server.wait(200 * 24 * 60 * 60);
    assert_eq!(sweep(&server, Instance::Front), None);
    assert_eq!(sweep(&server, Instance::Grants), None);
    for table in ["grants", "codes", "refresh_tokens", "access_tokens"] {
        assert_eq!(server.objects.rows(Instance::Grants, table), 0, "{table}");
    }
}

#[tokio::test]
async fn a_sweep_comes_no_more_often_than_every_ten_minutes() {
    let server = Server::new();
    let (_, _code) = server.code(CLAUDE).await;
    assert_eq!(sweep(&server, Instance::Grants), Some(START + 600));
}

#[tokio::test]
async fn preparing_again_changes_nothing() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    for instance in Instance::ALL {
        state::prepare(instance, &*server.objects.sql(instance)).unwrap();
    }
    assert!(server.access(&tokens.access).await.is_some());
}

#[test]
fn a_transition_is_carried_out_by_its_own_object_only() {
    let server = Server::new();
    let now = server.clock.now();
    let body = r#"{"id":"dcr_x"}"#;
    let meter = CallMeter::default();
    let ask = |instance, name, body| {
        let sql = server.objects.sql(instance);
        let object = (&*sql as &dyn Sql, &meter);
        dispatch(instance, name, body, object, now)
    };
    assert_eq!(ask(Instance::Front, "find_client", body).unwrap(), "null");
    assert!(matches!(
        ask(Instance::Grants, "find_client", body),
        Err(DispatchError::Unknown)
    ));
    assert!(matches!(
        ask(Instance::Front, "no_such", body),
        Err(DispatchError::Unknown)
    ));
    assert!(matches!(
        ask(Instance::Front, "find_client", "{}"),
        Err(DispatchError::Malformed(_))
    ));
}

#[tokio::test]
async fn b8_the_total_of_registrations_is_capped_and_unused_ones_give_way() {
    let server = Server::new();
    let used = server.sign_in().await;
    let front = server.objects.sql(Instance::Front);
    // As if 5,000 clients had registered over time.
    let fill = "INSERT INTO clients (id, record, created_at, used_at, expires_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
        SELECT 'dcr_' || i, record, created_at, NULL, expires_at FROM n, clients";
    front.exec(fill, &[]).unwrap();
    assert_eq!(server.objects.rows(Instance::Front, "clients"), 5_000);

    // Too young to give way: their logins may be under way.
    server.wait(61);
    let metadata =
        serde_json::json!({ "redirect_uris": [LOOPBACK], "token_endpoint_auth_method": "none" });
    assert_eq!(
        server.register(&metadata).await.0,
        StatusCode::TOO_MANY_REQUESTS
    );
    assert_eq!(server.objects.rows(Instance::Front, "clients"), 5_000);

    server.wait(60 * 60);
    assert_eq!(server.register(&metadata).await.0, StatusCode::CREATED);
    assert_eq!(server.objects.rows(Instance::Front, "clients"), 4_901);
    assert_eq!(
        server.refresh(&used.client, &used.refresh).await.0,
        StatusCode::OK
    );
}

#[tokio::test]
async fn logins_under_way_are_capped_and_the_oldest_gives_way() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let mut oldest = Browser::new(&server);
    let page = oldest.authorize(&request(&client, CLAUDE, &[])).await;
    let sent = oldest
        .decide(&handle(&page), &[("decision", "approve")])
        .await;
    let fill = "INSERT INTO logins (state, binding, sealed, expires_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
        SELECT 'state ' || i, binding, sealed, expires_at + 1 FROM n, logins";
    server.objects.sql(Instance::Front).exec(fill, &[]).unwrap();
    assert_eq!(server.objects.rows(Instance::Front, "logins"), 5_000);

    server.wait(5);
    let mut newest = Browser::new(&server);
    let page = newest.authorize(&request(&client, CLAUDE, &[])).await;
    let sent_newest = newest
        .decide(&handle(&page), &[("decision", "approve")])
        .await;
    assert_eq!(server.objects.rows(Instance::Front, "logins"), 5_000);
    assert_eq!(
        oldest.come_back(&sent).await.status(),
        StatusCode::BAD_REQUEST
    );
    assert_eq!(
        newest.come_back(&sent_newest).await.status(),
        StatusCode::SEE_OTHER
    );
}

#[tokio::test]
async fn the_grants_of_one_person_are_capped_and_the_one_longest_unused_gives_way() {
    let server = Server::new();
    let first = server.sign_in_at(LOOPBACK).await;
    for _ in 0..200 {
        server.wait(1);
        server.authorize(&first.client, LOOPBACK).await.one("code");
    }
    assert_eq!(server.objects.rows(Instance::Grants, "grants"), 200);
    assert!(server.access(&first.access).await.is_none());
}

#[test]
fn the_document_of_what_is_stored_names_every_table_and_column() {
    let document = include_str!("../../docs/storage-schema.md");
    let server = Server::new();
    for instance in Instance::ALL {
        let columns = "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
            WHERE m.type = 'table'";
        let rows = server.objects.sql(instance).exec(columns, &[]).unwrap();
        assert!(rows.len() > 10);
        for row in rows {
            let (table, column) = (row.text(0).unwrap(), row.text(1).unwrap());
            let (_, section) = document
                .split_once(&format!("| `{table}` |"))
                .expect("a section of the table");
            // A table's rows end where the next one's begin, or the tables do.
            let end = section
                .find("\n| `")
                .into_iter()
                .chain(section.find("\n\n"))
                .min();
            let section = &section[..end.unwrap_or(section.len())];
            assert!(section.contains(&format!("`{column}`")), "{table}.{column}");
        }
    }
}
