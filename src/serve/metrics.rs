//! What the server measures, as Prometheus reads it. No label comes from what users write.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Upper ends of the buckets, in seconds.
const BUCKETS: [f64; 14] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// Name, kind, meaning.
const KNOWN: &[(&str, &str, &str)] = &[
    (
        "http_server_request_duration_seconds",
        "histogram",
        "Time to the end of a reply, or to its head where it streams.",
    ),
    ("http_server_active_requests", "gauge", "Requests under way."),
    ("graphwright_answers_total", "counter", "Questions answered, by method and outcome."),
    ("graphwright_answer_duration_seconds", "histogram", "Time of an answer, by method."),
    ("graphwright_answer_first_text_seconds", "histogram", "Time to the first text of an answer, by method."),
    ("graphwright_search_duration_seconds", "histogram", "Time of a search without a model, by method."),
    ("graphwright_model_calls_total", "counter", "Calls of models by answers."),
    ("graphwright_model_tokens_total", "counter", "Tokens of answers, by direction."),
    (
        "graphwright_model_cost_dollars_total",
        "counter",
        "Dollars of answers, by the prices of the configuration.",
    ),
    ("graphwright_jobs", "gauge", "Jobs, by state."),
    ("graphwright_job_duration_seconds", "histogram", "Time of a job, by kind and outcome."),
    ("graphwright_streams_open", "gauge", "Event streams that are open."),
    ("graphwright_rejected_total", "counter", "Requests refused before work began, by reason."),
    ("graphwright_mcp_requests_total", "counter", "Calls of tools, by tool and outcome."),
    ("graphwright_workspaces_open", "gauge", "Workspaces that are held open."),
    ("graphwright_store_up", "gauge", "Whether a store of every open workspace answers: 1 or 0."),
    ("graphwright_build_info", "gauge", "Version of the program."),
    ("process_cpu_seconds_total", "counter", "Seconds that processors have worked for the process."),
    ("process_open_fds", "gauge", "Files and sockets that the process holds open."),
    ("process_resident_memory_bytes", "gauge", "Memory of the process."),
    ("process_start_time_seconds", "gauge", "When the process began, in seconds since 1970."),
];

#[derive(Clone, Debug, Default)]
struct Histogram {
    counts: [u64; BUCKETS.len()],
    sum: f64,
    count: u64,
}

type Series = (&'static str, String);

#[derive(Debug, Default)]
struct MetricValues {
    numbers: BTreeMap<Series, f64>,
    histograms: BTreeMap<Series, Histogram>,
}

/// All that is measured.
#[derive(Debug)]
pub(crate) struct Metrics {
    values: Mutex<MetricValues>,
    began: f64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { values: Mutex::default(), began: chrono::Utc::now().timestamp_millis() as f64 / 1000.0 }
    }
}

impl Metrics {
    fn values(&self) -> MutexGuard<'_, MetricValues> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to a counter or a gauge.
    pub(crate) fn add(&self, name: &'static str, labels: &[(&str, &str)], by: f64) {
        *self.values().numbers.entry((name, written(labels))).or_default() += by;
    }

    /// One more.
    pub(crate) fn count(&self, name: &'static str, labels: &[(&str, &str)]) {
        self.add(name, labels, 1.0);
    }

    /// Sets a gauge.
    pub(crate) fn set(&self, name: &'static str, labels: &[(&str, &str)], value: f64) {
        self.values().numbers.insert((name, written(labels)), value);
    }

    /// Notes a time.
    pub(crate) fn took(&self, name: &'static str, labels: &[(&str, &str)], time: Duration) {
        let mut values = self.values();
        let histogram = values.histograms.entry((name, written(labels))).or_default();
        let seconds = time.as_secs_f64();
        for (count, limit) in histogram.counts.iter_mut().zip(BUCKETS) {
            *count += u64::from(seconds <= limit);
        }
        histogram.sum += seconds;
        histogram.count += 1;
    }

    /// One more of a gauge until the guard is dropped.
    pub(crate) fn open(self: &std::sync::Arc<Self>, name: &'static str) -> OpenCount {
        self.add(name, &[], 1.0);
        OpenCount { metrics: std::sync::Arc::clone(self), name }
    }

    /// Everything, in Prometheus' text format.
    pub(crate) fn text(&self) -> String {
        self.set("graphwright_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
        self.set("process_start_time_seconds", &[], self.began);
        if let Some(bytes) = resident_bytes() {
            self.set("process_resident_memory_bytes", &[], bytes);
        }
        if let Some(files) = open_files() {
            self.set("process_open_fds", &[], files);
        }
        if let Some(seconds) = processor_seconds() {
            self.set("process_cpu_seconds_total", &[], seconds);
        }
        let values = self.values();
        let mut text = String::new();
        for (name, kind, help) in KNOWN {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for ((_, labels), value) in values.numbers.iter().filter(|((known, _), _)| known == name) {
                let _ = writeln!(text, "{name}{} {value}", in_braces(labels));
            }
            for ((_, labels), histogram) in values.histograms.iter().filter(|((known, _), _)| known == name) {
                let comma = if labels.is_empty() { "" } else { "," };
                for (count, limit) in histogram.counts.iter().zip(BUCKETS) {
                    let _ = writeln!(text, "{name}_bucket{{{labels}{comma}le=\"{limit}\"}} {count}");
                }
                let _ = writeln!(text, "{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {}", histogram.count);
                let _ = writeln!(text, "{name}_sum{} {}", in_braces(labels), histogram.sum);
                let _ = writeln!(text, "{name}_count{} {}", in_braces(labels), histogram.count);
            }
        }
        text
    }
}

/// Something that is counted as long as it is there.
#[derive(Debug)]
pub(crate) struct OpenCount {
    metrics: std::sync::Arc<Metrics>,
    name: &'static str,
}

impl Drop for OpenCount {
    fn drop(&mut self) {
        self.metrics.add(self.name, &[], -1.0);
    }
}

fn in_braces(labels: &str) -> String {
    if labels.is_empty() { String::new() } else { format!("{{{labels}}}") }
}

fn written(labels: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in labels {
        let comma = if text.is_empty() { "" } else { "," };
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
        let _ = write!(text, "{comma}{name}=\"{value}\"");
    }
    text
}

/// Memory of this process, where the system says it.
fn resident_bytes() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

/// Files that this process holds open, where the system says it.
fn open_files() -> Option<f64> {
    Some(std::fs::read_dir("/proc/self/fd").ok()?.count() as f64)
}

/// Seconds of processors that this process has used, where the system says it.
#[cfg(unix)]
fn processor_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).ok().map(|time| time.as_secs_f64())
}

#[cfg(not(unix))]
fn processor_seconds() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_is_written_as_prometheus_reads_it() {
        let metrics = Metrics::default();
        metrics.count("graphwright_answers_total", &[("method", "local"), ("outcome", "ok")]);
        metrics.took(
            "graphwright_answer_duration_seconds",
            &[("method", "local")],
            Duration::from_millis(30),
        );
        let text = metrics.text();
        for line in [
            "graphwright_answers_total{method=\"local\",outcome=\"ok\"} 1",
            "graphwright_answer_duration_seconds_bucket{method=\"local\",le=\"0.025\"} 0",
            "graphwright_answer_duration_seconds_bucket{method=\"local\",le=\"0.05\"} 1",
            "graphwright_answer_duration_seconds_count{method=\"local\"} 1",
            "# TYPE graphwright_jobs gauge",
            "# TYPE graphwright_store_up gauge",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        #[cfg(target_os = "linux")]
        for name in ["process_cpu_seconds_total", "process_open_fds", "process_resident_memory_bytes"] {
            let value = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
            assert!(value.is_some_and(|value| value >= 0.0), "{name}\n{text}");
        }
    }
}
