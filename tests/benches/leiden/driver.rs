// One run of one implementation in one process; prints one JSON line. Included by the crate that
// scripts/bench-leiden.sh writes.
//
//   driver ours|single|nested|warm|churn GRAPH SEED OUT
//
// GRAPH.txt holds `u v w` lines, GRAPH.n the node count; OUT gets one label a line, or, for nested, rows of
// `node community level parent leaf`.

use std::collections::{BTreeMap, BTreeSet};
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
        "churn" => churn(node_count, edges, &settings),
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

/// Replaces 1 % of the edges by random ones; which nodes these join or have joined, and which pairs
fn change(node_count: usize, edges: &mut Edges, seed: u64) -> (Vec<bool>, BTreeSet<(u32, u32)>) {
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ seed;
    let mut draw = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    let mut changed = vec![false; node_count];
    let mut pairs = BTreeSet::new();
    for _ in 0..edges.len() / 100 {
        let place = draw(edges.len());
        let (u, v, weight) = edges.swap_remove(place);
        let (from, to) = (draw(node_count) as u32, draw(node_count) as u32);
        edges.push((from, to, weight));
        pairs.extend([(u.min(v), u.max(v)), (from.min(to), from.max(to))]);
        for node in [u, v, from, to] {
            changed[node as usize] = true;
        }
    }
    (changed, pairs)
}

fn levels(hierarchy: &leiden::Hierarchy) -> Vec<Vec<u32>> {
    (0..hierarchy.levels).map(|level| hierarchy.labels_at(level)).collect()
}

/// Prints which share of communities is new after 1 % changed edges, and of their reports: a report is the same while
/// the community has the same members and the same edges inside
fn churn(node_count: usize, mut edges: Edges, settings: &leiden::Settings) {
    let before = leiden::hierarchical(&build(node_count, &edges), settings);
    let told_before = edge_sums(&before, &edges);
    let (changed, pairs) = change(node_count, &mut edges, settings.seed);
    let touched = told_before.keys().filter(|(_, members)| {
        let inside = |node: u32| members.binary_search(&node).is_ok();
        pairs.iter().any(|&(u, v)| inside(u) && inside(v))
    });
    let touched = touched.count() as f64 / told_before.len() as f64;
    let levels = levels(&before);
    let graph = build(node_count, &edges);
    let reports: BTreeSet<_> = told_before.iter().map(|((_, members), edges)| (members, edges)).collect();
    let cold = leiden::hierarchical(&graph, settings);
    let earlier = leiden::Earlier { levels: &levels, changed: Some(&changed) };
    let warm = leiden::hierarchical_from(&graph, settings, earlier);
    for (run, after) in [("cold", cold), ("warm", warm)] {
        let told = edge_sums(&after, &edges);
        let share = |count: usize| count as f64 / told.len() as f64;
        let communities = told.keys().filter(|community| !told_before.contains_key(community)).count();
        let new = told.iter().filter(|((_, members), edges)| !reports.contains(&(members, edges))).count();
        println!(
            "{{\"run\": \"{run}\", \"communities\": {}, \"touched\": {touched}, \"changed\": {}, \"reports\": {}, \
             \"modularity\": {}}}",
            told.len(),
            share(communities),
            share(new),
            after.modularity_per_level[0]
        );
    }
}

/// Level and members of each community of three nodes or more, with a sum over the edges inside it
fn edge_sums(hierarchy: &leiden::Hierarchy, edges: &Edges) -> BTreeMap<(u32, Vec<u32>), u64> {
    let mut inside = vec![0_u64; hierarchy.communities.len()];
    for level in 0..hierarchy.levels {
        let labels = hierarchy.labels_at(level);
        for &(u, v, weight) in edges {
            let community = labels[u as usize];
            if community == labels[v as usize] && hierarchy.communities[community as usize].level == level {
                let pair = u64::from(u.min(v)) << 32 | u64::from(u.max(v));
                let word = (pair ^ weight.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let word = (word ^ word >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                inside[community as usize] = inside[community as usize].wrapping_add(word ^ word >> 32);
            }
        }
    }
    let told = hierarchy.communities.iter().zip(inside).filter(|(community, _)| community.members.len() >= 3);
    told.map(|(community, inside)| ((community.level, community.members.clone()), inside)).collect()
}

/// Replaces 1 % of the edges and compares a warm with a cold run
fn warm(node_count: usize, mut edges: Edges, settings: &leiden::Settings) {
    let levels = levels(&leiden::hierarchical(&build(node_count, &edges), settings));
    let (changed, _) = change(node_count, &mut edges, settings.seed);
    let graph = build(node_count, &edges);
    let known = leiden::Earlier { levels: &levels, changed: Some(&changed) };
    let unknown = leiden::Earlier { levels: &levels, changed: None };
    let (cold, cold_cpu) = least(|| leiden::partition(&graph, settings));
    for (name, earlier) in [("known", known), ("unknown", unknown)] {
        let (warm, warm_cpu) = least(|| leiden::partition_from(&graph, settings, earlier));
        let moved = moved(&levels[0], &warm.labels, &changed);
        println!(
            "{{\"changes\": \"{name}\", \"cold\": {cold_cpu}, \"warm\": {warm_cpu}, \"cold_modularity\": {}, \
             \"warm_modularity\": {}, \"moved\": {moved}}}",
            cold.quality, warm.quality,
        );
    }
    let (cold, cold_cpu) = least(|| leiden::hierarchical(&graph, settings));
    let (warm, warm_cpu) = least(|| leiden::hierarchical_from(&graph, settings, known));
    println!(
        "{{\"changes\": \"known, hierarchy\", \"cold\": {cold_cpu}, \"warm\": {warm_cpu}, \"cold_modularity\": {:?}, \
         \"warm_modularity\": {:?}, \"moved\": {}}}",
        cold.modularity_per_level,
        warm.modularity_per_level,
        moved(&levels[0], &warm.labels_at(0), &changed)
    );
}

/// The least CPU seconds of three runs
fn least<T>(run: impl Fn() -> T) -> (T, f64) {
    let timed = || {
        let start = ProcessTime::now();
        let result = run();
        (result, start.elapsed().as_secs_f64())
    };
    [timed(), timed(), timed()].into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
}

/// Share of the nodes without a changed edge that left the greatest part of their earlier community
fn moved(earlier: &[u32], labels: &[u32], changed: &[bool]) -> f64 {
    let mut overlaps = BTreeMap::new();
    for (&from, &to) in earlier.iter().zip(labels) {
        *overlaps.entry((from, to)).or_insert(0_u32) += 1;
    }
    let mut heirs = BTreeMap::new();
    for (&(from, to), &shared) in &overlaps {
        let heir = heirs.entry(from).or_insert((shared, to));
        *heir = (*heir).max((shared, to));
    }
    let unaffected: Vec<usize> = (0..labels.len()).filter(|&node| !changed[node]).collect();
    let moved = unaffected.iter().filter(|&&node| heirs[&earlier[node]].1 != labels[node]).count();
    moved as f64 / unaffected.len() as f64
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
