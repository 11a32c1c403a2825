use super::*;

/// Two cliques of `size`, joined by one edge, and one node alone.
fn cliques(size: u32) -> WalkGraph {
    let mut edges = Vec::new();
    for start in [0, size] {
        for one in 0..size {
            for other in 0..one {
                edges.push((start + one, start + other, 1.0));
            }
        }
    }
    edges.push((0, size, 1.0));
    WalkGraph::new(2 * size as usize + 1, &edges).unwrap()
}

fn cosine(vectors: &Matrix, one: usize, other: usize) -> f32 {
    let unit = vectors.normalised();
    unit.row(one).iter().zip(unit.row(other)).map(|(a, b)| a * b).sum()
}

#[test]
fn cliques_part_and_who_is_alone_has_no_vector() {
    for (size, p, q) in [(12, 1.0, 1.0), (12, 0.25, 4.0), (300, 1.0, 0.5)] {
        let settings = Node2VecSettings {
            dimensions: 16,
            walk_length: 20,
            return_parameter: p,
            in_out_parameter: q,
            ..Node2VecSettings::default()
        };
        let vectors = node2vec(&cliques(size), &settings).unwrap();
        let size = size as usize;
        let mut wrong = 0;
        for one in 1..size.min(20) {
            for other in 1..one {
                let within = cosine(&vectors, one, other).min(cosine(&vectors, size + one, size + other));
                wrong += usize::from(within <= cosine(&vectors, one, size + other));
            }
        }
        assert_eq!(wrong, 0, "cliques of {size}, p {p}, q {q}");
        assert!(vectors.row(2 * size).iter().all(|&value| value == 0.0));
        assert!(vectors.row(0).iter().any(|&value| value != 0.0));
    }
}

#[test]
fn threads_do_not_matter_and_seeds_do() {
    let graph = cliques(400);
    let settings =
        Node2VecSettings { dimensions: 9, walks: 2, walk_length: 6, ..Node2VecSettings::default() };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| node2vec(&graph, &settings).unwrap())
    };
    let one = with(1);
    assert_eq!(one, with(5));
    assert!(one.values().iter().all(|value| value.is_finite()));
    assert_ne!(one, node2vec(&graph, &Node2VecSettings { seed: 1, ..settings }).unwrap());
}

#[test]
fn parameters_steer_the_walk() {
    // a ring: a walk goes on or turns back
    let edges: Vec<(u32, u32, f64)> = (0..50).map(|node| (node, (node + 1) % 50, 1.0)).collect();
    let graph = WalkGraph::new(50, &edges).unwrap();
    let turns = |p, q| {
        let settings =
            Node2VecSettings { return_parameter: p, in_out_parameter: q, ..Node2VecSettings::default() };
        let walks = graph.walks(0, &settings);
        let all = walks.iter().flat_map(|walk| walk.windows(3));
        let (turned, steps) =
            all.fold((0, 0), |(turned, steps), three| (turned + u32::from(three[0] == three[2]), steps + 1));
        f64::from(turned) / f64::from(steps)
    };
    // the share of 1/p among 1/p and 1/q
    assert!((turns(1.0, 1.0) - 0.5).abs() < 0.05);
    assert!((turns(4.0, 1.0) - 0.2).abs() < 0.05);
    assert!((turns(1.0, 4.0) - 0.8).abs() < 0.05);
}

#[test]
fn heavy_edges_are_walked_and_equal_edges_add_up() {
    let graph = WalkGraph::new(3, &[(0, 1, 4.0), (1, 0, 5.0), (0, 2, 1.0), (2, 2, 7.0)]).unwrap();
    assert_eq!(graph.neighbours(0), [1, 2]);
    assert_eq!(graph.neighbours(2), [0]);
    let settings = Node2VecSettings { walk_length: 4001, ..Node2VecSettings::default() };
    let walk = &graph.walks(0, &settings)[0];
    let heavy = walk.iter().filter(|&&node| node == 1).count() as f64 / 2000.0;
    assert!((heavy - 0.9).abs() < 0.03, "{heavy}");
}

#[test]
fn what_cannot_be_is_named() {
    let none = node2vec(&WalkGraph::new(0, &[]).unwrap(), &Node2VecSettings::default()).unwrap();
    assert_eq!(none.rows(), 0);
    let alone = node2vec(&WalkGraph::new(2, &[]).unwrap(), &Node2VecSettings::default()).unwrap();
    assert_eq!((alone.rows(), alone.columns()), (2, 64));
    let error = WalkGraph::new(2, &[(0, 2, 1.0)]).unwrap_err().to_string();
    assert!(error.contains("0 to 2"), "{error}");
    assert!(WalkGraph::new(2, &[(0, 1, 0.0)]).is_err());
    assert!(WalkGraph::new(2, &[(0, 1, f64::NAN)]).is_err());
    let settings = Node2VecSettings { return_parameter: 0.0, ..Node2VecSettings::default() };
    let error = node2vec(&WalkGraph::default(), &settings).unwrap_err().to_string();
    assert!(error.contains("p is 0"), "{error}");
}
