// Included by the crate that scripts/bench-umap.sh makes: runs one thing on rows of f32 in a file and prints JSON.

use cpu_time::ProcessTime;
use numeric::Matrix;
use numeric::mixture::{Covariance, Mixture, MixtureSettings};
use numeric::neighbours::Metric;
use numeric::random::Random;
use numeric::umap::{UmapSettings, umap};
use std::time::Instant;

fn read(path: &str, columns: usize) -> Matrix {
    let bytes = std::fs::read(path).unwrap();
    let values: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    Matrix::from_rows(&values.chunks_exact(columns).collect::<Vec<_>>()).unwrap()
}

fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

/// Unit vectors about `rows / 200` centres, as the embeddings of passages are.
fn passages(rows: usize, columns: usize) -> Matrix {
    let mut random = Random::new(1);
    let centres: Vec<Vec<f64>> =
        (0..rows.div_ceil(200)).map(|_| (0..columns).map(|_| random.normal()).collect()).collect();
    let mut matrix = Matrix::zeros(rows, columns);
    for row in 0..rows {
        let centre = &centres[random.below(centres.len())];
        for (value, c) in matrix.row_mut(row).iter_mut().zip(centre) {
            *value = (c + random.normal()) as f32;
        }
    }
    matrix.normalised()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| arguments[place].parse::<usize>().unwrap();
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let said = match arguments[0].as_str() {
        "umap" => {
            let points = read(&arguments[1], number(2));
            let metric = if arguments[5] == "cosine" { Metric::Cosine } else { Metric::Euclidean };
            let settings =
                UmapSettings { components: number(3), neighbours: number(4), metric, seed: number(6) as u64, ..UmapSettings::default() };
            let layout = umap(&points, &settings).unwrap();
            let bytes: Vec<u8> = layout.values().iter().flat_map(|x| x.to_le_bytes()).collect();
            std::fs::write(&arguments[7], bytes).unwrap();
            String::new()
        }
        "mixture" => {
            let points = read(&arguments[1], number(2));
            let covariance = if arguments[4] == "full" { Covariance::Full } else { Covariance::Diagonal };
            let settings = MixtureSettings { covariance, seed: number(5) as u64, ..MixtureSettings::default() };
            let mixture = Mixture::fit(&points, number(3), &settings).unwrap();
            let (likelihood, bic) = (mixture.log_likelihood(&points), mixture.bic(&points));
            format!("\"log_likelihood\": {likelihood}, \"bic\": {bic}, ")
        }
        "clusters" => {
            let (rows, columns) = (number(1), number(2));
            let points = passages(rows, columns);
            let groups = clusters::clusters(&points, &vec![90; rows], &config::RaptorConfig::default()).unwrap();
            let held: usize = groups.iter().map(Vec::len).sum();
            let summaries = groups.iter().filter(|group| group.len() > 1).count();
            format!("\"groups\": {}, \"summaries\": {summaries}, \"held\": {held}, ", groups.len())
        }
        "neighbours" => {
            let points = passages(number(1), number(2));
            let found = numeric::neighbours::nearest(&points, number(3), Metric::Cosine);
            // a few rows against all
            let unit = points.normalised();
            let some = Random::new(2).sample(points.rows(), 200);
            let dot = |one: usize, other: usize| unit.row(one).iter().zip(unit.row(other)).map(|(a, b)| a * b).sum::<f32>();
            let mut held = 0;
            for &row in &some {
                let mut all: Vec<(f32, usize)> =
                    (0..points.rows()).filter(|&other| other != row).map(|other| (-dot(row, other), other)).collect();
                all.select_nth_unstable_by(number(3), |a, b| a.0.total_cmp(&b.0));
                let true_ones: std::collections::BTreeSet<usize> = all[..number(3)].iter().map(|pair| pair.1).collect();
                held += found.of(row).filter(|(place, _)| true_ones.contains(place)).count();
            }
            format!("\"recall\": {}, ", held as f64 / (some.len() * number(3)) as f64)
        }
        other => panic!("{other}"),
    };
    println!(
        "{{{said}\"cpu\": {}, \"wall\": {}, \"peak_mb\": {}}}",
        cpu.elapsed().as_secs_f64(),
        wall.elapsed().as_secs_f64(),
        peak_mb()
    );
}
