//! The straight lines that are drawn on a page: borders of tables among them.

use super::narrow;
use kurbo::{Affine, PathEl, Point};
use pdfrum::PageObject;

/// Lines of a page that are looked at; drawings have more.
const MOST: usize = 4000;
/// Forms that may lie in one another.
const DEEPEST: usize = 8;
/// Shortest line, in points.
const SHORTEST: f64 = 5.0;
/// How far the ends of a straight line may be off.
const SLANT: f64 = 0.6;

/// Lines in the page's own space, from an end to the other: x, y, x, y. None where there are more than anybody rules.
pub(super) fn of(objects: &[PageObject]) -> Vec<[f32; 4]> {
    let mut found = Vec::new();
    collect(objects, Affine::IDENTITY, 0, &mut found);
    few(found)
}

/// Lines of a page; none where there are more than anybody rules.
pub(super) fn few(lines: Vec<[f32; 4]>) -> Vec<[f32; 4]> {
    if lines.len() > MOST { Vec::new() } else { lines }
}

fn collect(objects: &[PageObject], matrix: Affine, depth: usize, found: &mut Vec<[f32; 4]>) {
    for object in objects {
        if found.len() > MOST {
            return;
        }
        match object {
            PageObject::Path(path) => {
                let path = &path.object;
                straight(path.path.elements(), matrix * path.matrix, found);
            }
            PageObject::Form(form) if depth < DEEPEST => {
                collect(&form.object.objects, matrix * form.object.matrix, depth + 1, found);
            }
            _ => {}
        }
    }
}

/// Adds the straight lines of a path.
pub(super) fn straight(elements: &[PathEl], matrix: Affine, found: &mut Vec<[f32; 4]>) {
    let (mut start, mut last) = (Point::ZERO, Point::ZERO);
    for element in elements {
        if found.len() > MOST {
            return;
        }
        match *element {
            PathEl::MoveTo(point) => (start, last) = (point, point),
            PathEl::LineTo(point) => {
                push(matrix * last, matrix * point, found);
                last = point;
            }
            PathEl::ClosePath => {
                push(matrix * last, matrix * start, found);
                last = start;
            }
            PathEl::QuadTo(_, point) | PathEl::CurveTo(_, _, point) => last = point,
        }
    }
}

fn push(from: Point, to: Point, found: &mut Vec<[f32; 4]>) {
    let (across, down) = ((to.x - from.x).abs(), (to.y - from.y).abs());
    if across.max(down) >= SHORTEST && across.min(down) <= SLANT {
        found.push([from.x, from.y, to.x, to.y].map(narrow));
    }
}
