//! What questions take a thing for, by its type.

use crate::domain::Entity;

/// What an entity is, as far as questions differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Person,
    Place,
    Organisation,
    Date,
    /// Numbers and amounts: nothing is asked about them.
    Measure,
    Other,
}

/// By the type that it was given.
pub(super) fn class(kind: &str) -> Class {
    let kind = kind.to_lowercase();
    let is = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    if is(&["person", "people", "character", "人物"]) || kind == "人" {
        Class::Person
    } else if is(&["place", "location", "city", "country", "geo", "region", "地点", "地名", "城", "国家"])
    {
        Class::Place
    } else if is(&["organi", "company", "institution", "group", "组织", "机构", "公司", "势力"]) {
        Class::Organisation
    } else if is(&["date", "year", "period", "日期", "时间", "年份"]) || kind == "time" {
        Class::Date
    } else if is(&["number", "quantity", "amount", "money", "percent", "measure", "数量", "金额", "数字"])
    {
        Class::Measure
    } else {
        Class::Other
    }
}

/// Whether something is somebody.
pub(super) fn is_person(entity: &Entity) -> bool {
    class(&entity.kind) == Class::Person
}
