//! One token's postings in one segment as bytes: how many, the gaps between places (LEB128), the weights (f32).

/// Writes postings; places ascend.
pub(super) fn encode(postings: &[(u32, f32)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(5 + postings.len() * 6);
    write_number(&mut bytes, u32::try_from(postings.len()).unwrap_or(u32::MAX));
    let mut last = 0;
    for (place, _) in postings {
        write_number(&mut bytes, place - last);
        last = *place;
    }
    for (_, weight) in postings {
        bytes.extend_from_slice(&weight.to_le_bytes());
    }
    bytes
}

/// How many postings there are.
pub(super) fn count(bytes: &[u8]) -> usize {
    read_number(&mut &*bytes) as usize
}

/// Calls `visit` with each place and weight, in order of places.
pub(super) fn for_each(bytes: &[u8], mut visit: impl FnMut(u32, f32)) {
    let mut gaps = bytes;
    let count = read_number(&mut gaps) as usize;
    let Some(weights) = bytes.len().checked_sub(count * size_of::<f32>()) else { return };
    let (weights, _) = bytes.get(weights..).unwrap_or_default().as_chunks::<4>();
    let mut place = 0_u32;
    for weight in weights {
        place = u32::wrapping_add(place, read_number(&mut gaps));
        visit(place, f32::from_le_bytes(*weight));
    }
}

fn write_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

fn read_number(bytes: &mut &[u8]) -> u32 {
    let (mut number, mut shift) = (0, 0);
    while let Some((byte, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 || shift > 28 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn postings_come_back_as_they_were(postings: BTreeMap<u32, u16>) {
            let postings: Vec<(u32, f32)> = postings.into_iter().map(|(at, w)| (at, f32::from(w))).collect();
            let bytes = encode(&postings);
            let mut back = Vec::new();
            for_each(&bytes, |place, weight| back.push((place, weight)));
            prop_assert_eq!(count(&bytes), postings.len());
            prop_assert_eq!(back, postings);
        }

        #[test]
        fn damaged_bytes_do_no_harm(bytes: Vec<u8>) {
            for_each(&bytes, |_, _| {});
        }
    }
}
