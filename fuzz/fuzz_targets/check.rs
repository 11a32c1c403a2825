// What holds of any reply; included by the fuzz target and by the test that replays its corpus. Returns how many records
// the reply gives.
fn check_any(reply: &str) -> usize {
    let parsed = parse(reply);
    let names: HashSet<String> = parsed
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Entity(entity) => Some(name_key(&entity.name)),
            _ => None,
        })
        .collect();
    for record in &parsed.records {
        match record {
            Record::Entity(entity) => assert!(!name_key(&entity.name).is_empty(), "{reply}"),
            Record::Relationship(relationship) => {
                assert!((1..=10).contains(&relationship.strength), "{reply}");
                assert!(names.contains(&name_key(&relationship.source)), "{reply}");
                assert!(names.contains(&name_key(&relationship.target)), "{reply}");
            }
            Record::Claim(claim) => {
                assert!(names.contains(&name_key(&claim.subject)), "{reply}");
                assert!(claim.object.as_ref().is_none_or(|name| names.contains(&name_key(name))), "{reply}");
            }
        }
    }
    assert_eq!(parsed, parse(reply), "a reply is read alike twice");
    for value in reply::read_all_json(reply, 100) {
        assert!(value.is_object() || value.is_array(), "{reply}");
    }
    for group in reply::find_citations(reply) {
        assert!(!group.numbers.is_empty(), "{reply}");
    }
    let rewritten = reply::rewrite(reply, |_, _| None);
    assert!(reply::find_citations(&rewritten).is_empty() || rewritten.len() <= reply.len() + 64, "{reply}");
    parsed.records.len()
}
