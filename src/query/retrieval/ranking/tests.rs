use super::evidence::{PooledPassage, projection};
use crate::domain::Id;
use crate::stores::graph::UnitHeading;

fn passage(title: &str, headings: &[&str], vector: [f32; 3], words: &[f64]) -> PooledPassage {
    let unit = UnitHeading {
        id: Id::from_stored(title),
        document_id: Id::from_stored("document"),
        document_title: title.to_owned(),
        headings: headings.iter().map(|heading| (*heading).to_owned()).collect(),
    };
    PooledPassage {
        subjects: super::evidence::subjects_of(&unit),
        cosine: f64::from(vector[0]),
        vector: vector.to_vec(),
        words: words.to_vec(),
        named: 0.0,
        found: true,
        id: unit.id,
    }
}

#[test]
fn the_projection_is_that_of_plane_geometry() {
    let check = |(a, b, c): (f64, f64, f64), expected: f64| {
        let found = projection(a, b, c);
        assert!((found - expected).abs() < 1e-9, "{a} {b} {c}: {found}");
        assert!((projection(b, a, c) - found).abs() < 1e-12);
    };
    // orthogonal: by Pythagoras
    check((0.6, 0.8, 0.0), 1.0);
    check((0.3, 0.4, 0.0), 0.5);
    // the same twice adds nothing
    check((0.7, 0.7, 1.0), 0.7);
    // what points away adds nothing
    check((0.7, -0.2, 0.0), 0.7);
    check((0.7, 0.1, 0.9), 0.7);
    check((0.0, 0.0, 0.0), 0.0);
}

#[test]
fn two_passages_cover_more_than_one_where_they_differ() {
    // the question is the first axis
    let film = passage("Some Film", &[], [0.6, 0.8, 0.0], &[0.5, 0.0]);
    let director = passage("Some Director", &[], [0.6, -0.8, 0.0], &[0.0, 0.3]);
    let remake = passage("Another Film", &[], [0.6, 0.8, 0.0], &[0.5, 0.0]);
    assert!(film.together(&director) > film.together(&remake) + 0.3);
    assert!(film.together(&remake) >= film.direct());
}

#[test]
fn a_unit_is_about_its_title_and_innermost_heading() {
    let unit = passage("Mercury (planet)", &["Orbit", "Perihelion"], [1.0, 0.0, 0.0], &[]);
    let check = |name: &str, about: bool, titled: bool| {
        let keys = [name.to_owned()];
        assert_eq!((unit.is_about(&keys), unit.is_titled(&keys)), (about, titled), "{name}");
    };
    check("mercury", true, true);
    check("mercury (planet)", true, true);
    check("perihelion", true, true);
    check("planet", false, true);
    check("orbit", false, false);
    check("merc", false, false);
    let laws = passage("三国演义", &[], [1.0, 0.0, 0.0], &[]);
    assert!(laws.is_titled(&["三国".to_owned()]));
}
