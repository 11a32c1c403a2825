//! Colours that tell communities apart.

/// The colour of what is in no community.
pub(super) const NONE: &str = "#b5b5b5";
/// Degrees from one hue to the next: the golden angle, so that any first few lie far apart.
const TURN: f64 = 137.507_764;

/// The colours of communities of these levels and sizes: within a level the largest get the most different hues.
pub(super) fn of(communities: &[(u32, usize)]) -> Vec<String> {
    let mut order: Vec<usize> = (0..communities.len()).collect();
    order.sort_by_key(|&place| (communities[place].0, usize::MAX - communities[place].1, place));
    let mut colours = vec![String::new(); communities.len()];
    // turns go on from level to level: a part has another colour than the whole
    for (turn, &place) in order.iter().enumerate() {
        let hue = (210.0 + turn as f64 * TURN) % 360.0;
        let (saturation, lightness) = [(0.62, 0.50), (0.52, 0.38), (0.70, 0.62)][turn / 9 % 3];
        colours[place] = hex(hue, saturation, lightness);
    }
    colours
}

fn hex(hue: f64, saturation: f64, lightness: f64) -> String {
    let chroma = saturation * lightness.min(1.0 - lightness);
    let channel = |shift: f64| {
        let k = (shift + hue / 30.0) % 12.0;
        let value = lightness - chroma * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
        let byte = (value * 255.0).round() as u8;
        byte
    };
    format!("#{:02x}{:02x}{:02x}", channel(0.0), channel(8.0), channel(4.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_as_the_platform_mixes_them_and_differ() {
        assert_eq!(hex(0.0, 1.0, 0.5), "#ff0000");
        assert_eq!(hex(120.0, 1.0, 0.25), "#008000");
        assert_eq!(hex(240.0, 0.5, 0.5), "#4040bf");
        let colours = of(&[(0, 1), (0, 9), (1, 3), (1, 3)]);
        assert_eq!(colours[1], of(&[(0, 5)])[0]);
        let distinct: std::collections::BTreeSet<_> = of(&vec![(0, 1); 40]).into_iter().collect();
        assert_eq!(distinct.len(), 40);
    }
}
