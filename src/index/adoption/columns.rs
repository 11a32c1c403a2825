//! Which column of a table of nodes or relationships says what, by its header.

use crate::language::letters;

/// What a column says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnRole {
    Id,
    Name,
    Type,
    Text,
    Source,
    Target,
    Weight,
}

/// Headers by what they say, the first one that a table has. Those with a colon are of `neo4j-admin`.
const OF_NODES: [(ColumnRole, &[&str]); 4] = [
    (ColumnRole::Id, &[":id", "id", "nodeid", "key", "编号"]),
    (ColumnRole::Name, &["name", "title", "名称", "姓名", "名字"]),
    (ColumnRole::Type, &[":label", "type", "label", "labels", "kind", "category", "类型", "类别"]),
    (ColumnRole::Text, &["text", "description", "bio", "summary", "content", "描述", "简介"]),
];
const OF_EDGES: [(ColumnRole, &[&str]); 5] = [
    (
        ColumnRole::Source,
        &[":startid", "source", "from", "start", "subject", "sourceid", "startid", "head", "起点", "主体"],
    ),
    (
        ColumnRole::Target,
        &[":endid", "target", "to", "end", "object", "targetid", "endid", "tail", "终点", "客体"],
    ),
    (
        ColumnRole::Type,
        &[":type", "type", "relationship", "relation", "predicate", "kind", "label", "关系", "类型"],
    ),
    (ColumnRole::Text, &["description", "text", "evidence", "描述"]),
    (ColumnRole::Weight, &["weight", "strength", "权重"]),
];

/// Whether a table has nodes or relationships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableKind {
    Nodes,
    Edges,
}

/// What the columns of a table say, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    headers: Vec<String>,
    roles: Vec<Option<ColumnRole>>,
}

impl Columns {
    /// Those of a table by its headers.
    pub(super) fn of(kind: TableKind, headers: &[String]) -> Self {
        let known: &[(ColumnRole, &[&str])] = match kind {
            TableKind::Nodes => &OF_NODES,
            TableKind::Edges => &OF_EDGES,
        };
        let plain: Vec<String> = headers.iter().map(|header| plain(header)).collect();
        let mut roles = vec![None; headers.len()];
        for (role, names) in known {
            let place = names.iter().find_map(|name| plain.iter().position(|header| header == name));
            if let Some(taken) = place.and_then(|place| roles.get_mut(place)) {
                *taken = Some(*role);
            }
        }
        Self { headers: headers.iter().map(|header| without_type(header).to_owned()).collect(), roles }
    }

    /// Whether these are the columns of such headers.
    pub(super) fn are_of(&self, headers: &[String]) -> bool {
        self.headers.len() == headers.len()
            && self.headers.iter().zip(headers).all(|(known, header)| known == without_type(header))
    }

    /// The header of what says so.
    pub(super) fn header(&self, role: ColumnRole) -> Option<&str> {
        let place = self.roles.iter().position(|known| *known == Some(role))?;
        self.headers.get(place).map(String::as_str)
    }

    /// What a row says in the column of a role; empty where it says nothing.
    pub(super) fn value<'a>(&self, role: ColumnRole, values: &'a [String]) -> &'a str {
        let place = self.roles.iter().position(|known| *known == Some(role));
        place.and_then(|place| values.get(place)).map_or("", |value| value.trim())
    }

    /// What stands in columns without a role.
    pub(super) fn properties<'a>(
        &'a self,
        values: &'a [String],
    ) -> impl Iterator<Item = (&'a str, &'a str)> + 'a {
        let columns = self.headers.iter().zip(&self.roles).zip(values);
        columns.filter_map(|((header, role), value)| {
            let (header, value) = (header.as_str(), value.trim());
            (role.is_none() && !header.is_empty() && !value.is_empty()).then_some((header, value))
        })
    }

    /// All headers, for who does not find the right one.
    pub(super) fn listed(&self) -> String {
        self.headers.iter().take(12).map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// A header without case, spaces and signs; `personId:ID(Person)` is `:id`, `born:int` is `born`.
fn plain(header: &str) -> String {
    const OF_ADMIN: [&str; 5] = ["id", "startid", "endid", "type", "label"];
    match header.split_once(':') {
        Some((name, kind)) => {
            let kind = letters(kind.split('(').next().unwrap_or_default());
            if OF_ADMIN.contains(&kind.as_str()) { format!(":{kind}") } else { letters(name) }
        }
        None => letters(header),
    }
}

/// `born:int` as `born`; a column that says nothing else keeps its header.
fn without_type(header: &str) -> &str {
    let header = header.trim();
    match header.split_once(':') {
        Some((name, _)) if !name.is_empty() => name.trim(),
        _ => header,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: TableKind, headers: &str, expected: &[(ColumnRole, &str)]) {
        let headers: Vec<String> = headers.split(',').map(str::to_owned).collect();
        let columns = Columns::of(kind, &headers);
        let all = [
            ColumnRole::Id,
            ColumnRole::Name,
            ColumnRole::Type,
            ColumnRole::Text,
            ColumnRole::Source,
            ColumnRole::Target,
            ColumnRole::Weight,
        ];
        let found: Vec<(ColumnRole, &str)> =
            all.into_iter().filter_map(|role| Some((role, columns.header(role)?))).collect();
        assert_eq!(found, expected, "{headers:?}");
        assert!(columns.are_of(&headers));
    }

    #[test]
    fn headers_are_known_however_they_are_written() {
        check(
            TableKind::Nodes,
            "ID,Full Name,Name,Type,Bio,born",
            &[
                (ColumnRole::Id, "ID"),
                (ColumnRole::Name, "Name"),
                (ColumnRole::Type, "Type"),
                (ColumnRole::Text, "Bio"),
            ],
        );
        check(
            TableKind::Nodes,
            "personId:ID(Person),name,born:int,:LABEL",
            &[(ColumnRole::Id, "personId"), (ColumnRole::Name, "name"), (ColumnRole::Type, ":LABEL")],
        );
        check(
            TableKind::Edges,
            ":START_ID,role,:END_ID,:TYPE",
            &[
                (ColumnRole::Type, ":TYPE"),
                (ColumnRole::Source, ":START_ID"),
                (ColumnRole::Target, ":END_ID"),
            ],
        );
        check(
            TableKind::Edges,
            "from,to,Relation,weight",
            &[
                (ColumnRole::Type, "Relation"),
                (ColumnRole::Source, "from"),
                (ColumnRole::Target, "to"),
                (ColumnRole::Weight, "weight"),
            ],
        );
        check(
            TableKind::Nodes,
            "编号,姓名,类型",
            &[(ColumnRole::Id, "编号"), (ColumnRole::Name, "姓名"), (ColumnRole::Type, "类型")],
        );
        check(TableKind::Edges, "a,b", &[]);
    }

    #[test]
    fn what_has_no_role_is_a_property() {
        let headers = ["id", "name", "born:int", "none", ""].map(str::to_owned);
        let columns = Columns::of(TableKind::Nodes, &headers);
        let values = ["1", "Ada", "1815", " ", "x"].map(str::to_owned);
        assert_eq!(columns.properties(&values).collect::<Vec<_>>(), [("born", "1815")]);
        assert_eq!(columns.value(ColumnRole::Name, &values), "Ada");
        assert_eq!(columns.value(ColumnRole::Weight, &values), "");
    }
}
