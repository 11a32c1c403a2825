MATCH (n:Document|Period|TreeNode|FactChunk|AtomicFact|KeyElement|Community|Finding|Edit|VectorTombstone|Name|Alias|Verdict|DictionaryName|ChangedName|LineageStep|Clustered|Question|Answer|QuestionChange|AskedQuestion)
WHERE n.workspace = $workspace
WITH n LIMIT $limit DETACH DELETE n RETURN count(*) AS count
