//! `index --watch` keeps a folder in sync until Ctrl-C.

use crate::program::Place;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn a_watched_folder_is_kept_in_sync_until_ctrl_c() {
    let place = Place::new();
    place.write("docs/book.txt", "Bob Cratchit works for Ebenezer Scrooge in London.\n");
    let mut command = place.command(&["index", "--watch", "docs", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut reports = BufReader::new(child.stdout.take().expect("piped")).lines();
    // one line a sync that changed something
    let mut next = || -> serde_json::Value {
        serde_json::from_str(&reports.next().expect("a report").expect("UTF-8")).expect("JSON")
    };
    assert_eq!(next()["documents_added"], 1);
    place.write("docs/deep/sequel.txt", "Tiny Tim met Jacob Marley.\n");
    assert_eq!(next()["documents_added"], 1);
    place.write("docs/book.txt", "Bob Cratchit works for Ebenezer Scrooge in Camden Town.\n");
    assert_eq!(next()["documents_changed"], 1);
    // what is hidden or cannot be read is no document, and the rest goes on
    place.write("docs/.hidden.txt", "Nobody reads this.\n");
    place.remove("docs/deep/sequel.txt");
    let last = next();
    assert_eq!((&last["documents_removed"], &last["documents"]), (&1.into(), &1.into()));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert_eq!(place.json(&["sync", "docs", "--dry-run"])["unchanged"], 1, "nothing is left to do");
}
