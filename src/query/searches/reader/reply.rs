//! What the model says to do next, read from whatever it wrote.

use crate::llm::reply;
use serde_json::Value;

/// A step's reply.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StepReply {
    /// The notebook as it should be now, where the reply holds one.
    pub(super) notebook: Option<String>,
    /// Why.
    pub(super) rationale: String,
    /// Name of a function, as `read_chunk`.
    pub(super) action: String,
    /// What it is called with.
    pub(super) arguments: Vec<String>,
}

impl StepReply {
    /// Reads a reply; `None` where it holds no object with an action. A call written out, `read_chunk(["C1"])`, is
    /// understood as well.
    pub(super) fn read(text: &str) -> Option<Self> {
        let value = reply::read_json(text)?;
        let string = |name: &str| value.get(name).and_then(Value::as_str).map(|text| text.trim().to_owned());
        let action = string("action")?;
        let (name, written) = action.split_once('(').unwrap_or((&action, ""));
        let mut arguments = match value.get("arguments") {
            Some(Value::Array(list)) => list.iter().filter_map(argument).collect(),
            Some(one) => argument(one).into_iter().collect(),
            None => Vec::new(),
        };
        if arguments.is_empty() {
            let marks = |c: char| c.is_whitespace() || "[]()\"'".contains(c);
            arguments = written
                .split(',')
                .map(|part| part.trim_matches(marks).to_owned())
                .filter(|part| !part.is_empty())
                .collect();
        }
        let name = name.trim().to_lowercase().replace([' ', '-'], "_").replace("neighbour", "neighbor");
        let action = if name == "terminate" { "termination".to_owned() } else { name };
        Some(Self {
            notebook: string("notebook"),
            rationale: string("rationale").unwrap_or_default(),
            action,
            arguments,
        })
    }
}

fn argument(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The key elements of a reply that chooses where to begin, with their scores from 0 to 100, best first.
pub(super) fn read_nodes(text: &str) -> Vec<(String, f64)> {
    let mut nodes: Vec<(String, f64)> = text
        .lines()
        .filter_map(|line| {
            let line = line.trim().trim_start_matches(|c: char| c.is_ascii_digit() || ".-*) ".contains(c));
            let rest = line.strip_prefix("Node").or_else(|| line.strip_prefix("node"))?;
            let rest = rest.trim_start_matches([':', '：', ' ']);
            let at = rest.rfind("Score").or_else(|| rest.rfind("score"))?;
            let name = rest.get(..at)?.trim().trim_end_matches([',', '，']).trim();
            let score: f64 = rest.get(at + 5..)?.trim_matches([':', '：', ' ', '.', '*']).parse().ok()?;
            (!name.is_empty() && score.is_finite()).then(|| (name.to_owned(), score.clamp(0.0, 100.0)))
        })
        .collect();
    nodes.sort_by(|a, b| b.1.total_cmp(&a.1));
    nodes
}

/// The thoughts and the answer of a reply; all of it is the answer where the form was not kept.
pub(super) fn read_answer(text: &str) -> (String, String) {
    for mark in ["Final answer", "Final Answer", "final answer", "FINAL ANSWER", "最终答案"] {
        if let Some(at) = text.rfind(mark) {
            let before = text.get(..at).unwrap_or_default().trim().trim_end_matches(['*', '#', ' ', '\n']);
            let before = before.strip_prefix("Analyze:").unwrap_or(before).trim();
            let behind = text.get(at + mark.len()..).unwrap_or_default();
            let behind = behind.trim_start_matches([':', '：', '*', ' ', '\n']).trim();
            if !behind.is_empty() {
                return (before.to_owned(), behind.to_owned());
            }
        }
    }
    (String::new(), text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_understood_in_several_forms() {
        let check = |text: &str, action: &str, arguments: &[&str]| {
            let reply = StepReply::read(text).expect(text);
            assert_eq!(
                (reply.action.as_str(), reply.arguments.join("/")),
                (action, arguments.join("/")),
                "{text}"
            );
        };
        check(r#"{"action": "read_chunk", "arguments": ["C1", 2]}"#, "read_chunk", &["C1", "2"]);
        check(
            r#"```json
{"action": "read_chunk([\"C1\", \"C2\"])"}
```"#,
            "read_chunk",
            &["C1", "C2"],
        );
        check(
            r#"{"action": "Read neighbour node", "arguments": "Scrooge"}"#,
            "read_neighbor_node",
            &["Scrooge"],
        );
        check(r#"{"action": "terminate()", "arguments": []}"#, "termination", &[]);
        assert_eq!(StepReply::read("I would read chunk C1."), None);
        assert_eq!(StepReply::read(r#"{"notebook": "x"}"#), None);
    }

    #[test]
    fn nodes_come_best_first_and_other_lines_are_passed_over() {
        let nodes = read_nodes(
            "Here:\n1. Node: Scrooge, Score: 60\nNode: the 3 Ghosts, Score: 990\nNode: x\nScore: 9",
        );
        assert_eq!(nodes, [("the 3 Ghosts".to_owned(), 100.0), ("Scrooge".to_owned(), 60.0)]);
    }

    #[test]
    fn thoughts_are_parted_from_the_answer() {
        let check = |text: &str, thoughts: &str, answer: &str| {
            assert_eq!(read_answer(text), (thoughts.to_owned(), answer.to_owned()));
        };
        check("Analyze: two of three say so.\nFinal answer: A clerk.", "two of three say so.", "A clerk.");
        check("Analyze: x\n**Final Answer:** A clerk.", "x", "A clerk.");
        check("A clerk.", "", "A clerk.");
        check("Analyze: x\nFinal answer:", "", "Analyze: x\nFinal answer:");
    }
}
