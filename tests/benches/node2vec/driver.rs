// Included by the crate that scripts/bench-node2vec.sh makes: reads edges `u v w`, writes vectors as f32 and prints JSON.
//
// driver EDGES NODES DIMENSIONS WINDOW P Q SEED OUT

use cpu_time::ProcessTime;
use numeric::node2vec::{Node2VecSettings, WalkGraph, node2vec};
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| arguments[place].parse::<f64>().unwrap();
    let edges: Vec<(u32, u32, f64)> = std::fs::read_to_string(&arguments[0])
        .unwrap()
        .lines()
        .map(|line| {
            let mut parts = line.split_whitespace();
            let mut next = || parts.next().unwrap();
            (next().parse().unwrap(), next().parse().unwrap(), next().parse().unwrap())
        })
        .collect();
    let settings = Node2VecSettings {
        dimensions: number(2) as usize,
        window: number(3) as usize,
        return_parameter: number(4),
        in_out_parameter: number(5),
        seed: number(6) as u64,
        ..Node2VecSettings::default()
    };
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let graph = WalkGraph::new(number(1) as usize, &edges).unwrap();
    let vectors = node2vec(&graph, &settings).unwrap();
    let (cpu, wall) = (cpu.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64());
    let bytes: Vec<u8> = vectors.values().iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(&arguments[7], bytes).unwrap();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let peak_mb = peak.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024;
    println!("{{\"cpu\": {cpu}, \"wall\": {wall}, \"peak_mb\": {peak_mb}}}");
}
