//! What a run leaves where its model fails or nobody listens: how the program ends, what it tells, and the next run.

use crate::by_script::{Endpoint, Said, data, report};
use crate::program::{Place, Run};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Texts that each name two people, so that none asks for more than a first reply.
fn records(text: &str) -> String {
    let of: Vec<&str> = text.split(['.', ' ']).filter(|word| word.starts_with(char::is_uppercase)).collect();
    let (Some(one), Some(other)) = (of.first(), of.last()) else { return "<|COMPLETE|>".to_owned() };
    format!(
        "(entity<|>{one}<|>person<|>{one} knows {other}.<|>NONE)\n(entity<|>{other}<|>person<|>{other}.<|>NONE)\n\
         (relationship<|>{one}<|>{other}<|>knows<|>{one} knows {other}.<|>5)\n<|COMPLETE|>"
    )
}

/// The program, whose model fails on one of three texts for as long as it is told to.
async fn failing_on_one(failure: fn() -> Said) -> (Place, Endpoint, Arc<AtomicBool>) {
    let failing = Arc::new(AtomicBool::new(true));
    let fails = Arc::clone(&failing);
    let endpoint = Endpoint::start(move |task, messages| match task {
        "extract_graph" if data(messages).contains("Carla") && fails.load(Ordering::SeqCst) => failure(),
        "extract_graph" => records(&data(messages)).into(),
        _ if messages.iter().any(|message| message.contains("Carla")) && fails.load(Ordering::SeqCst) => {
            failure()
        }
        _ => report().into(),
    })
    .await;
    let place = Place::new();
    place.write("graphwright.toml", &endpoint.toml());
    for (name, text) in [("a", "Anton knows Berta."), ("b", "Berta knows Dora."), ("c", "Carla knows Anton.")]
    {
        place.write(&format!("docs/{name}.txt"), text);
    }
    (place, endpoint, failing)
}

fn check_left(run: &Run, what: &str) {
    assert_eq!(run.code, Some(4), "{what}: {}", run.stderr);
    for told in ["docs/c.txt unit ", "index --retry-failed"] {
        assert!(run.stderr.contains(told), "{what}: {told}: {}", run.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_leaves_failed_text_units_ends_with_4_until_they_are_read() {
    let failures: [(fn() -> Said, bool); 3] =
        [(|| Said::Status(500), true), (|| Said::Status(400), true), (|| "I cannot say.".into(), false)];
    for (failure, is_used) in failures {
        let (place, _endpoint, failing) = failing_on_one(failure).await;
        for arguments in
            [&["index", "docs"][..], &["index", "docs"], &["index"], &["sync", "docs"], &["index", "docs"]]
        {
            check_left(&place.run(arguments), &format!("{arguments:?}"));
            let status = place.json(&["status"]);
            assert_eq!((&status["failed"], &status["documents"]), (&1.into(), &3.into()), "{status}");
            assert!(
                status["entities"].as_u64().is_some_and(|count| count >= 3),
                "the others are read: {status}"
            );
        }
        failing.store(false, Ordering::SeqCst);
        // a reply that cannot be used is kept: the same question would get it again
        let again: &[&str] = if is_used { &["index"] } else { &["index", "--retry-failed"] };
        let whole = place.run(again);
        assert_eq!(whole.code, Some(0), "{}", whole.stderr);
        assert_eq!(place.json(&["status"])["failed"], 0);
        assert_eq!(place.run(&["index", "docs"]).code, Some(0));
        assert!(place.run(&["entities", "show", "Carla"]).stdout.contains("Carla"));
    }
}

/// A port of this machine that nobody listens at.
fn closed_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_refuses_connections_stops_the_run_and_the_next_goes_on() {
    let place = Place::new();
    let settings = |address: &str| {
        format!(
            "[llm]\nprovider = \"openai\"\nbase_url = \"{address}\"\nmodel = \"scripted\"\napi_key = \"k\"\n\
         [llm.extra_body]\nmetadata = {{ task = \"{{task}}\" }}\n[extraction]\nresolution = \"rules\"\n"
        )
    };
    let address = format!("http://127.0.0.1:{}/v1", closed_port());
    place.write("graphwright.toml", &settings(&address));
    for number in 0..12 {
        place.write(&format!("docs/{number}.txt"), &format!("Anton{number} knows Berta{number}."));
    }
    let extraction = || {
        let told = place.json(&["index", "docs", "--dry-run"]);
        let stages = told["stages"].as_array().expect("a list").clone();
        stages.into_iter().find(|stage| stage["stage"] == "extraction").expect("texts would be read")
    };
    let foretold = extraction();
    for arguments in [&["index", "docs"][..], &["index", "docs"], &["index"]] {
        let run = place.run(arguments);
        assert_eq!(run.code, Some(3), "{arguments:?}: {}", run.stderr);
        let errors: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(errors.len(), 1, "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr.matches(&address).count(), 1, "{arguments:?}: {}", run.stderr);
        assert!(
            errors.iter().all(|error| error.contains(&address) && error.contains("3 times in a row")),
            "{errors:?}"
        );
        let status = place.json(&["status"]);
        let left = (&status["pending"], &status["failed"], &status["text_units"]);
        assert_eq!(left, (&12.into(), &0.into(), &12.into()), "{status}");
        // what waits is foretold as it was before the first run
        assert_eq!(extraction(), foretold);
    }
    let told = place.run(&["index", "docs", "--json"]);
    let error: serde_json::Value =
        serde_json::from_str(told.stdout.lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (&error["error"]["code"], &error["error"]["exit_code"]),
        (&"unreachable".into(), &3.into()),
        "{error}"
    );

    let endpoint = Endpoint::start(|task, messages| match task {
        "extract_graph" => records(&data(messages)).into(),
        _ => report().into(),
    })
    .await;
    place.write("graphwright.toml", &endpoint.toml());
    let run = place.run(&["index"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let status = place.json(&["status"]);
    assert_eq!(
        (&status["pending"], &status["failed"], &status["entities"]),
        (&0.into(), &0.into(), &24.into()),
        "{status}"
    );
    assert_eq!(endpoint.counts().get("extract_graph"), Some(&12), "each was asked for once");
}
