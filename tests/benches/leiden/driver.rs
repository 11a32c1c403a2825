// One run of one implementation in one process; prints one JSON line. Included by the crate that
// scripts/bench-leiden.sh writes.
//
//   driver ours|single|nested|warm GRAPH SEED OUT
//
// GRAPH.txt holds `u v w` lines, GRAPH.n the node count; OUT gets one label a line, or, for nested, rows of
// `node community level parent leaf`.

use std::fmt::Write as _;

use cpu_time::ProcessTime;
use single_clustering::community_search::leiden::{LeidenConfig, leiden as single_leiden};
use single_clustering::network::CSRNetwork;

type Edges = Vec<(u32, u32, f64)>;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, which, graph, seed, out] = &arguments[..] else { panic!("usage: driver WHICH GRAPH SEED OUT") };
    let (node_count, edges) = read(graph);
    let seed = seed.parse().unwrap();
    let settings = leiden::Settings { seed, ..leiden::Settings::default() };
    match which.as_str() {
        "ours" => flat(node_count, &edges, &settings, out),
        "single" => single(node_count, &edges, seed, out),
        "nested" => nested(node_count, &edges, &settings, out),
        "warm" => warm(node_count, edges, &settings),
        _ => panic!("unknown implementation {which}"),
    }
}

fn flat(node_count: usize, edges: &Edges, settings: &leiden::Settings, out: &str) {
    let before = peak_mb();
    let start = ProcessTime::now();
    let graph = build(node_count, edges);
    let built = start.elapsed().as_secs_f64();
    let partition = leiden::partition(&graph, settings);
    report(start.elapsed().as_secs_f64() - built, built, before, "");
    write_labels(out, partition.labels.iter().map(|&label| label as usize));
}

fn single(node_count: usize, edges: &Edges, seed: u64, out: &str) {
    let edges: Vec<_> = edges.iter().map(|&(u, v, weight)| (u as usize, v as usize, weight)).collect();
    let before = peak_mb();
    let start = ProcessTime::now();
    let graph = CSRNetwork::from_edges(node_count, &edges).unwrap();
    let built = start.elapsed().as_secs_f64();
    let config = LeidenConfig { seed: Some(seed), n_iterations: 2, ..LeidenConfig::default() };
    let found = single_leiden(&graph, &config).unwrap();
    report(start.elapsed().as_secs_f64() - built, built, before, "");
    write_labels(out, found.labels().iter().map(|&label| label as usize));
}

fn nested(node_count: usize, edges: &Edges, settings: &leiden::Settings, out: &str) {
    let before = peak_mb();
    let (start, wall) = (ProcessTime::now(), std::time::Instant::now());
    let graph = build(node_count, edges);
    let built = start.elapsed().as_secs_f64();
    let found = leiden::hierarchical(&graph, settings);
    let more = format!(
        ", \"wall\": {}, \"modularity\": {:?}, \"oversized\": {}",
        wall.elapsed().as_secs_f64(),
        found.modularity_per_level,
        found.communities.iter().filter(|community| community.oversized).count()
    );
    report(start.elapsed().as_secs_f64() - built, built, before, &more);
    let mut rows = String::new();
    for (number, community) in found.communities.iter().enumerate() {
        let parent = community.parent.map_or(-1, i64::from);
        for node in &community.members {
            let leaf = u8::from(community.leaf);
            writeln!(rows, "{node} {number} {} {parent} {leaf}", community.level).unwrap();
        }
    }
    std::fs::write(out, rows).unwrap();
}

/// Replaces 1 % of the edges by random ones and compares a warm with a cold run
fn warm(node_count: usize, mut edges: Edges, settings: &leiden::Settings) {
    let earlier = leiden::partition(&build(node_count, &edges), settings);
    let mut state = 1_u64;
    let mut draw = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    let mut changed = vec![false; node_count];
    for _ in 0..edges.len() / 100 {
        let place = draw(edges.len());
        let (u, v, weight) = edges.swap_remove(place);
        let (from, to) = (draw(node_count), draw(node_count));
        edges.push((from as u32, to as u32, weight));
        for node in [u as usize, v as usize, from, to] {
            changed[node] = true;
        }
    }
    let graph = build(node_count, &edges);
    let start = ProcessTime::now();
    let cold = leiden::partition(&graph, settings);
    let cold_cpu = start.elapsed().as_secs_f64();
    let start = ProcessTime::now();
    let warm = leiden::partition_from(&graph, settings, &earlier.labels, &changed);
    let warm_cpu = start.elapsed().as_secs_f64();
    let mut overlaps = std::collections::BTreeMap::new();
    for (&from, &to) in earlier.labels.iter().zip(&warm.labels) {
        *overlaps.entry((from, to)).or_insert(0_u32) += 1;
    }
    let mut heirs = std::collections::BTreeMap::new();
    for (&(from, to), &shared) in &overlaps {
        let heir = heirs.entry(from).or_insert((shared, to));
        *heir = (*heir).max((shared, to));
    }
    let unaffected: Vec<usize> = (0..node_count).filter(|&node| !changed[node]).collect();
    let moved = unaffected.iter().filter(|&&node| heirs[&earlier.labels[node]].1 != warm.labels[node]).count();
    println!(
        "{{\"cold\": {cold_cpu}, \"warm\": {warm_cpu}, \"cold_modularity\": {}, \"warm_modularity\": {}, \"moved\": {}}}",
        cold.quality,
        warm.quality,
        moved as f64 / unaffected.len() as f64
    );
}

fn build(node_count: usize, edges: &Edges) -> leiden::Graph {
    let keys = (0..node_count as u64).collect();
    leiden::Graph::from_edges(keys, edges).unwrap()
}

fn report(cpu: f64, build_cpu: f64, before_mb: f64, more: &str) {
    let peak_mb = peak_mb() - before_mb;
    println!("{{\"cpu\": {cpu}, \"build\": {build_cpu}, \"peak_mb\": {peak_mb}{more}}}");
}

fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

fn read(graph: &str) -> (usize, Edges) {
    use std::io::BufRead;
    let node_count = std::fs::read_to_string(format!("{graph}.n")).unwrap().trim().parse().unwrap();
    let lines = std::io::BufReader::new(std::fs::File::open(format!("{graph}.txt")).unwrap()).lines();
    let mut edges: Edges = lines
        .map(|line| {
            let line = line.unwrap();
            let mut fields = line.split_whitespace();
            let mut node = || fields.next().unwrap().parse().unwrap();
            (node(), node(), fields.next().map_or(1.0, |weight| weight.parse().unwrap()))
        })
        .collect();
    edges.shrink_to_fit();
    (node_count, edges)
}

fn write_labels(out: &str, labels: impl Iterator<Item = usize>) {
    let mut text = String::new();
    for label in labels {
        writeln!(text, "{label}").unwrap();
    }
    std::fs::write(out, text).unwrap();
}
