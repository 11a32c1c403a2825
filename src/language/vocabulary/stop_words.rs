//! Words that carry no meaning of their own, in code point order.

/// English: those that `qdrant/bm25` leaves out, found by asking its engine word by word
/// (`tests/fixtures/bm25/make.py`). Parts of contractions stand here as words of their own.
#[rustfmt::skip]
pub(crate) const ENGLISH: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "ain", "all", "am", "an", "and", "any", "are", "aren",
    "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can",
    "couldn", "d", "did", "didn", "do", "does", "doesn", "doing", "don", "down", "during", "each", "few",
    "for", "from", "further", "had", "hadn", "has", "hasn", "have", "haven", "having", "he", "her", "here",
    "hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "isn", "it", "its",
    "itself", "just", "ll", "m", "ma", "me", "mightn", "more", "most", "mustn", "my", "myself", "needn", "no",
    "nor", "not", "now", "o", "of", "off", "on", "once", "only", "or", "other", "our", "ours", "ourselves",
    "out", "over", "own", "re", "s", "same", "shan", "she", "should", "shouldn", "so", "some", "such", "t",
    "than", "that", "the", "their", "theirs", "them", "themselves", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "under", "until", "up", "ve", "very", "was", "wasn", "we", "were",
    "weren", "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with", "won", "wouldn",
    "y", "you", "your", "yours", "yourself", "yourselves",
];

/// Chinese, both scripts: particles, pronouns, conjunctions, prepositions, question words.
#[rustfmt::skip]
pub(crate) const CHINESE: &[&str] = &[
    "一个", "一些", "一样", "一种", "不", "不是", "不管", "不能", "不过", "与", "且", "並", "个", "为",
    "为了", "为什么", "为何", "乃", "么", "之", "之中", "之前", "之后", "之间", "乎", "也", "也是", "也许",
    "了", "于", "于是", "什么", "什麼", "从", "他", "他们", "他們", "以", "以前", "以及", "以后", "以至",
    "们", "会", "但", "但是", "何", "你", "你们", "你們", "使", "來", "個", "們", "假如", "儘管", "关于",
    "其", "其中", "其他", "其它", "再", "几", "则", "到", "十分", "即", "却", "又", "及", "及其", "另",
    "另外", "只", "只是", "只有", "只要", "可以", "可是", "各", "同", "同时", "向", "吗", "吧", "吾", "呀",
    "呢", "和", "咱们", "哉", "哦", "哪", "哪个", "哪些", "哪儿", "哪里", "啊", "嗎", "嘛", "因", "因为",
    "因此", "因為", "在", "地", "多少", "太", "她", "她们", "她們", "如", "如何", "如果", "它", "它们",
    "它們", "对", "对于", "将", "將", "對", "對於", "尔", "就", "就是", "尽管", "已", "已经", "并", "并且",
    "当", "很", "後", "得", "從", "怎", "怎么", "怎么样", "怎样", "怎樣", "怎麼", "怎麼樣", "您", "我",
    "我们", "我們", "或", "或者", "所", "所以", "才", "把", "按照", "於", "於是", "无论", "既", "既然", "是",
    "更", "曾", "曾经", "最", "會", "有", "某", "根据", "正在", "此", "此外", "每", "比", "汝", "沒", "沒有",
    "没", "没有", "為", "為什麼", "為何", "焉", "無論", "然后", "然而", "甚至", "甚麼", "由", "由于", "的",
    "着", "矣", "等", "等等", "給", "给", "者", "而", "而且", "耳", "能", "自己", "至于", "與", "若", "著",
    "虽", "虽然", "被", "要", "要是", "誰", "請", "請問", "讓", "让", "请", "请问", "谁", "跟", "过", "还",
    "还是", "还有", "这", "这个", "这么", "这些", "这样", "这里", "這", "這些", "這個", "這樣", "這裡",
    "這麼", "通过", "遂", "過", "還", "還是", "還有", "那", "那个", "那么", "那些", "那個", "那样", "那樣",
    "那裡", "那里", "那麼", "都", "都是", "關於", "除了", "随着", "雖然", "非常", "麼",
];
