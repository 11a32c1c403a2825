//! Types of entities: which words mean the same class, in the languages that types are written in.

use super::name_key;

/// Words for one class, the first of each line its name.
const SAME: [&[&str]; 27] = [
    &["person", "people", "per", "human", "individual", "人物", "人", "个人"],
    &["place", "location", "loc", "geo", "gpe", "地点", "地名", "地方", "位置", "地理位置"],
    &[
        "organization",
        "organizations",
        "organisation",
        "org",
        "company",
        "institution",
        "组织",
        "机构",
        "公司",
        "企业",
        "组织机构",
    ],
    &["event", "events", "事件"],
    &["work", "works", "作品", "著作"],
    &["concept", "concepts", "概念"],
    &["group", "groups", "群体", "团体"],
    &["product", "products", "产品"],
    &["product line", "产品线"],
    &["service", "services", "服务"],
    &["metric", "metrics", "指标"],
    &["business", "业务"],
    &["business segment", "segment", "业务分部", "分部"],
    &["market", "市场"],
    &["object", "objects", "物品", "物体", "物件"],
    &["country", "国家"],
    &["city", "城市"],
    &["date", "日期"],
    &["time", "时间"],
    &["technology", "技术"],
    &["document", "文件", "文献"],
    &["law", "法律", "法规"],
    &["family", "家族"],
    &["army", "军队"],
    &["title", "头衔", "称号"],
    &["number", "数字", "数值"],
    &["animal", "动物"],
];

/// The class that a type's word means: one name for all words that mean it, other words as they are, in small letters.
pub fn kind_class(kind: &str) -> String {
    let key = name_key(kind);
    let same = SAME.iter().find(|words| words.contains(&key.as_str()));
    same.and_then(|words| words.first()).map_or(key, |class| (*class).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_class_have_one_name() {
        for kind in ["Person", "人物", "人", "PEOPLE"] {
            assert_eq!(kind_class(kind), "person");
        }
        assert_eq!(kind_class("地名"), kind_class("Location"));
        assert_eq!(kind_class("Vessel "), "vessel");
        assert_eq!(kind_class(""), "");
        let mut all: Vec<&str> = SAME.iter().flat_map(|words| words.iter().copied()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "a word means one class");
    }
}
