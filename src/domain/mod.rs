//! The nouns: plain data that every other module speaks in. No input or output, no vendor.

mod id;
mod name;
mod date;
mod interval;
mod locator;
mod document;
mod record;
mod evidence;
mod entity;
mod kind;
mod claim;
mod community;
mod lineage;
mod citation;
mod counts;
mod edit;
mod tree;
mod atomic_fact;
mod verdict;
mod ledger;
mod worker;
mod library;
mod absent;

pub use absent::Absent;
pub use atomic_fact::{AtomicFact, DocumentFacts, FactChunk, element_key};
pub use citation::{RecordKind, RecordRef, SourceSentence};
pub use claim::Claim;
pub use community::{Community, Finding, Report};
pub use counts::{CompletedRun, Counts, DocumentStatus, Stale, StaleMarks, TextCounts};
pub use date::{Day, FiscalCalendar, Granularity, Period};
pub use document::{
    Document, Heading, Origin, Stage, StoredUnit, TABLE_HEADER, TextUnit, UnitState, date_of_section,
    headings_above, table_header,
};
pub use edit::{Edit, EditKind};
pub use entity::{Entity, Relationship, is_person};
pub use evidence::{
    EntityEvidence, EvidencePlace, Mention, RelationEvidence, RelationItem, RelationshipEvidence,
    UnitEvidence,
};
pub use id::{Id, Ids, fingerprint, word};
pub use interval::{
    Interval, MentionSentiment, Opinion, OwnDays, PeriodCount, PeriodTotals, SentimentOf, TextsOfTimes,
};
pub use kind::kind_class;
pub use ledger::{Counters, LedgerRow, STAGES, Spent, stage_of};
pub use library::{
    AnswerCitation, AskedQuestion, EntrySource, EntryStatus, LibraryChange, LibraryEntry, RelatedEntry,
    StaleCitation,
};
pub use lineage::{LineageEvent, LineageStep};
pub use locator::{
    Locator, LocatorKind, LocatorMark, PlaceFilter, PlaceSpan, last_page_of, locator_at, marks_within,
    place_shown,
};
pub use name::name_key;
pub use record::{ClaimRecord, ClaimStatus, EntityRecord, Record, RelationshipRecord};
pub use tree::{TreeNode, TreePassage};
pub use verdict::Verdict;
pub use worker::{Role, Worker};
