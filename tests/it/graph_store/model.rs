//! The contract in memory, as simple as can be: what a store must answer after any sequence of writes.

use super::sums::{sum_entity, sum_relationship};
use graphwright::domain::{
    Counts, Document, Entity, EntityEvidence, EvidencePlace, Id, Interval, Mention, PlaceSpan, Record,
    RelationItem, Relationship, RelationshipEvidence, Stage, StoredUnit, TextUnit, UnitEvidence, UnitState,
    date_of_section, name_key,
};
use graphwright::stores::GraphStore;
use graphwright::stores::graph::{
    DocumentChange, EntitySum, MentionEdge, NameUse, PendingVector, UnitWrite, VectorKind, found_by,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Claims that a text unit makes about an entity.
fn claims_about(evidence: &UnitEvidence, entity: &Id) -> usize {
    evidence.claims.iter().filter(|claim| claim.subject == *entity).count()
}

#[derive(Default)]
pub(crate) struct Model {
    pub(crate) documents: BTreeMap<Id, Document>,
    pub(crate) units: BTreeMap<Id, (TextUnit, UnitState)>,
    pub(crate) evidence: BTreeMap<Id, UnitEvidence>,
    /// Rows; `None` without a sum.
    entities: BTreeMap<Id, Option<Entity>>,
    relationships: BTreeMap<Id, (Id, Id, Option<Relationship>)>,
    dirty_entities: BTreeSet<Id>,
    dirty_relationships: BTreeSet<Id>,
    pending: BTreeSet<(VectorKind, Id)>,
    fingerprints: BTreeMap<(VectorKind, Id), String>,
    tombstones: BTreeSet<(VectorKind, Id)>,
}

impl Model {
    pub(crate) fn replace_document(&mut self, document: &Document, units: &[TextUnit]) -> DocumentChange {
        let before = self.documents.insert(document.id.clone(), document.clone());
        let retitled = before.is_some_and(|before| before.title != document.title);
        let gone: Vec<Id> = self
            .units
            .values()
            .map(|(unit, _)| unit)
            .filter(|unit| unit.document_id == document.id && !units.iter().any(|new| new.id == unit.id))
            .map(|unit| unit.id.clone())
            .collect();
        let mut change = DocumentChange { removed: gone.len() as u64, ..DocumentChange::default() };
        for unit in &gone {
            self.remove_unit(unit);
        }
        for unit in units {
            let Some((before, mut state)) = self.units.remove(&unit.id) else {
                self.units.insert(unit.id.clone(), (unit.clone(), UnitState::default()));
                self.appear(VectorKind::TextUnits, &unit.id);
                change.added += 1;
                continue;
            };
            change.kept += 1;
            if before.index != unit.index {
                self.touch_unit(&unit.id);
            }
            if retitled || before.headings != unit.headings {
                state.extraction = None;
                self.pending.insert((VectorKind::TextUnits, unit.id.clone()));
            }
            self.units.insert(unit.id.clone(), (unit.clone(), state));
        }
        change
    }

    pub(crate) fn remove_document(&mut self, id: &Id) {
        self.documents.remove(id);
        let gone: Vec<Id> = self
            .units
            .values()
            .filter(|(unit, _)| unit.document_id == *id)
            .map(|(unit, _)| unit.id.clone())
            .collect();
        for unit in &gone {
            self.remove_unit(unit);
        }
    }

    fn remove_unit(&mut self, unit: &Id) {
        self.touch_unit(unit);
        self.evidence.remove(unit);
        self.units.remove(unit);
        self.disappear(VectorKind::TextUnits, unit);
    }

    fn touch_unit(&mut self, unit: &Id) {
        let Some(evidence) = self.evidence.get(unit) else { return };
        self.dirty_entities.extend(evidence.mentions.iter().map(|mention| mention.entity.clone()));
        self.dirty_relationships
            .extend(evidence.relations.iter().map(|relation| relation.relationship.clone()));
    }

    fn appear(&mut self, kind: VectorKind, id: &Id) {
        self.tombstones.remove(&(kind, id.clone()));
        self.pending.insert((kind, id.clone()));
    }

    fn disappear(&mut self, kind: VectorKind, id: &Id) {
        self.pending.remove(&(kind, id.clone()));
        self.fingerprints.remove(&(kind, id.clone()));
        self.tombstones.insert((kind, id.clone()));
    }

    pub(crate) fn save_units(&mut self, writes: &[UnitWrite]) {
        for write in writes {
            let Some((_, state)) = self.units.get_mut(&write.text_unit) else { continue };
            *state = write.state.clone();
            let old =
                self.evidence.insert(write.text_unit.clone(), write.evidence.clone()).unwrap_or_default();
            let new = &write.evidence;
            for mention in &new.mentions {
                self.entities.entry(mention.entity.clone()).or_default();
            }
            for relation in &new.relations {
                let row = (relation.low.clone(), relation.high.clone(), None);
                self.relationships.entry(relation.relationship.clone()).or_insert(row);
            }
            for (one, other) in [(&old, new), (new, &old)] {
                let differing = one.mentions.iter().filter(|mention| !other.mentions.contains(mention));
                self.dirty_entities.extend(differing.map(|mention| mention.entity.clone()));
                let differing = one.relations.iter().filter(|relation| !other.relations.contains(relation));
                self.dirty_relationships.extend(differing.map(|relation| relation.relationship.clone()));
                let subjects = one.claims.iter().map(|claim| &claim.subject);
                let recounted =
                    subjects.filter(|subject| claims_about(&old, subject) != claims_about(new, subject));
                self.dirty_entities.extend(recounted.cloned());
            }
        }
    }

    pub(crate) fn expire_extraction(&mut self, settings: &str) -> u64 {
        let mut changed = 0;
        for (_, state) in self.units.values_mut() {
            let fits = |extraction: &String| {
                extraction == settings || extraction.starts_with(&format!("{settings}/"))
            };
            if state.error.is_some() || state.extraction.as_ref().is_some_and(|extraction| !fits(extraction))
            {
                (state.extraction, state.error, state.linking_done) = (None, None, false);
                changed += 1;
            }
        }
        changed
    }

    pub(crate) fn retry_failed(&mut self) -> u64 {
        let failed = self.units.values_mut().filter(|(_, state)| state.error.is_some());
        failed.map(|(_, state)| state.error = None).count() as u64
    }

    pub(crate) fn sum_up(&mut self) {
        for id in std::mem::take(&mut self.dirty_relationships) {
            let evidence = self.relationship_evidence(&id);
            let Some((low, high, sum)) = self.relationships.get_mut(&id) else { continue };
            let new = sum_relationship(&evidence);
            if sum.is_some() != new.is_some() || new.is_none() {
                self.dirty_entities.extend([low.clone(), high.clone()]);
            }
            if new.is_some() {
                *sum = new;
            } else {
                self.relationships.remove(&id);
            }
        }
        for id in std::mem::take(&mut self.dirty_entities) {
            let new = sum_entity(&self.entity_evidence(&id));
            let Some(old) = self.entities.get(&id).cloned() else { continue };
            let Some(new) = new else {
                self.entities.remove(&id);
                self.disappear(VectorKind::Entities, &id);
                continue;
            };
            if old.is_none_or(|old| found_by::entity(&old) != found_by::entity(&new)) {
                self.appear(VectorKind::Entities, &id);
            }
            self.entities.insert(id, Some(new));
        }
    }

    pub(crate) fn acknowledge(&mut self, kind: VectorKind, done: &[(Id, String)]) {
        for (id, fingerprint) in done {
            if self.pending.remove(&(kind, id.clone())) {
                self.fingerprints.insert((kind, id.clone()), fingerprint.clone());
            }
        }
    }

    pub(crate) fn clear_tombstones(&mut self, kind: VectorKind, ids: &[Id]) {
        for id in ids {
            self.tombstones.remove(&(kind, id.clone()));
        }
    }

    fn place(&self, unit: &Id) -> EvidencePlace {
        let unit = &self.units[unit].0;
        let document_key = self.documents[&unit.document_id].key.clone();
        EvidencePlace {
            document_key,
            unit_index: unit.index,
            text_unit: unit.id.clone(),
            period: unit.period,
        }
    }

    fn mentions_of(&self, entity: &Id) -> Vec<(EvidencePlace, Mention)> {
        let all = self.evidence.iter().flat_map(|(unit, evidence)| {
            evidence.mentions.iter().map(|mention| (self.place(unit), mention.clone()))
        });
        let mut mentions: Vec<(EvidencePlace, Mention)> =
            all.filter(|(_, mention)| mention.entity == *entity).collect();
        mentions.sort_by(|one, other| one.0.cmp(&other.0));
        mentions
    }

    fn entity_evidence(&self, id: &Id) -> EntityEvidence {
        let with_evidence = |(relationship, (low, high, _)): (&Id, &(Id, Id, Option<Relationship>))| {
            (low == id || high == id) && !self.items_of(relationship).is_empty()
        };
        let degree = self.relationships.iter().filter(|row| with_evidence(*row)).count();
        EntityEvidence {
            id: id.clone(),
            mentions: self.mentions_of(id),
            claims: self.claims_of(id),
            degree: u32::try_from(degree).unwrap(),
            summary: None,
        }
    }

    fn claims_of(&self, entity: &Id) -> BTreeMap<Interval, u32> {
        let mut claims = BTreeMap::new();
        for (unit, evidence) in &self.evidence {
            let count = claims_about(evidence, entity);
            if let Some(days) = self.units[unit].0.period.filter(|_| count > 0) {
                *claims.entry(days).or_default() += u32::try_from(count).unwrap();
            }
        }
        claims
    }

    fn items_of(&self, relationship: &Id) -> Vec<(EvidencePlace, Vec<RelationItem>)> {
        let mut items = Vec::new();
        for (unit, evidence) in &self.evidence {
            for relation in
                evidence.relations.iter().filter(|relation| relation.relationship == *relationship)
            {
                items.push((self.place(unit), relation.items.clone()));
            }
        }
        items.sort_by(|one, other| one.0.cmp(&other.0));
        items
    }

    fn relationship_evidence(&self, id: &Id) -> RelationshipEvidence {
        let (low, high, _) = self.relationships[id].clone();
        RelationshipEvidence { id: id.clone(), low, high, items: self.items_of(id), summary: None }
    }

    pub(crate) fn entities(&self) -> Vec<Entity> {
        self.entities.values().flatten().cloned().collect()
    }

    pub(crate) fn relationships(&self) -> Vec<Relationship> {
        self.relationships.values().filter_map(|(_, _, sum)| sum.clone()).collect()
    }

    pub(crate) fn stored_units(&self) -> Vec<StoredUnit> {
        let stored = |(unit, state): &(TextUnit, UnitState)| {
            let document = &self.documents[&unit.document_id];
            StoredUnit {
                unit: unit.clone(),
                document_key: document.key.clone(),
                document_title: document.title.clone(),
                document_date: date_of_section(document.date.clone(), unit.period),
                state: state.clone(),
            }
        };
        self.units.values().map(stored).collect()
    }

    pub(crate) fn edges(&self) -> Vec<MentionEdge> {
        let mut edges = Vec::new();
        for (unit, evidence) in &self.evidence {
            for mention in &evidence.mentions {
                let records = if mention.linked { 0 } else { u32::try_from(mention.names.len()).unwrap() };
                edges.push(MentionEdge { text_unit: unit.clone(), entity: mention.entity.clone(), records });
            }
        }
        edges.sort();
        edges
    }

    fn names(&self) -> Vec<NameUse> {
        // units, spellings of units, types with the number of records
        type Uses<'a> = (BTreeSet<&'a Id>, BTreeSet<(&'a Id, &'a str)>, BTreeMap<String, u32>);
        let mut uses: BTreeMap<String, Uses<'_>> = BTreeMap::new();
        for (unit, (_, state)) in &self.units {
            for record in &state.records {
                let Record::Entity(entity) = record else { continue };
                let (units, spellings, kinds) = uses.entry(name_key(&entity.name)).or_default();
                units.insert(unit);
                spellings.insert((unit, &entity.name));
                if !entity.kind.is_empty() {
                    *kinds.entry(entity.kind.clone()).or_default() += 1;
                }
            }
        }
        uses.retain(|key, _| !key.is_empty());
        uses.into_iter()
            .map(|(key, (units, spellings, kinds))| {
                let count = |name: &str| spellings.iter().filter(|(_, other)| *other == name).count();
                let name =
                    spellings.iter().map(|(_, name)| *name).min_by_key(|name| (Reverse(count(name)), *name));
                NameUse {
                    key,
                    name: name.unwrap_or_default().to_owned(),
                    kinds: kinds.into_iter().collect(),
                    alias_of: Vec::new(),
                    text_unit_count: u32::try_from(units.len()).unwrap(),
                }
            })
            .collect()
    }

    fn units_with(&self, key: &str) -> Vec<Id> {
        let holds = |state: &UnitState| {
            let own = state.records.iter().any(|record| match record {
                Record::Entity(entity) => name_key(&entity.name) == key,
                _ => false,
            });
            own || state.linked.iter().any(|linked| linked == key)
        };
        self.units.iter().filter(|(_, (_, state))| holds(state)).map(|(id, _)| id.clone()).collect()
    }

    fn pending_vectors(&self, kind: VectorKind) -> Vec<PendingVector> {
        let units: BTreeMap<Id, StoredUnit> =
            self.stored_units().into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect();
        let pending = |id: &Id| {
            let (text, document_id, entity_kind) = if kind == VectorKind::TextUnits {
                (found_by::text_unit(&units[id]), Some(units[id].unit.document_id.clone()), None)
            } else {
                let entity = self.entities[id].as_ref().unwrap();
                (found_by::entity(entity), None, Some(entity.kind.clone()))
            };
            let stored_fingerprint = self.fingerprints.get(&(kind, id.clone())).cloned();
            PendingVector {
                id: id.clone(),
                text,
                stored_fingerprint,
                document_id,
                level: None,
                kind: entity_kind,
                place: (kind == VectorKind::TextUnits)
                    .then(|| PlaceSpan::of(&units[id].unit.locators))
                    .flatten(),
            }
        };
        self.pending.iter().filter(|(other, _)| *other == kind).map(|(_, id)| pending(id)).collect()
    }

    fn counts(&self) -> Counts {
        Counts {
            documents: self.documents.len() as u64,
            text_units: self.units.len() as u64,
            entities: self.entities().len() as u64,
            relationships: self.relationships().len() as u64,
            claims: self.evidence.values().map(|evidence| evidence.claims.len() as u64).sum(),
            ..Counts::default()
        }
    }

    /// Everything that the store answers is what the model says.
    pub(crate) async fn assert_equals(&self, store: &dyn GraphStore, what: &str) {
        assert_eq!(store.counts().await.unwrap(), self.counts(), "{what}: counts");
        let mut documents: Vec<Document> = self.documents.values().cloned().collect();
        documents.sort_by(|one, other| one.key.cmp(&other.key));
        assert_eq!(store.documents(None, 1000).await.unwrap(), documents, "{what}: documents");
        assert_eq!(store.text_units(None, 1000).await.unwrap(), self.stored_units(), "{what}: text units");
        assert_eq!(store.entities(None, 1000).await.unwrap(), self.entities(), "{what}: entities");
        let relationships = store.relationships(None, 1000).await.unwrap();
        if relationships != self.relationships() {
            // whether it is what was written, or what was read
            let again = store.relationships(None, 1000).await.unwrap();
            let dirty = store.dirty_relationships(1000).await.unwrap();
            let told = format!("{what}: relationships; read again {again:?}; dirty are {dirty:?}");
            assert_eq!(relationships, self.relationships(), "{told}");
        }
        let units: Vec<Id> = self.units.keys().cloned().collect();
        assert_eq!(store.mentions_in_units(&units).await.unwrap(), self.edges(), "{what}: mentions");
        let mut claims: Vec<_> =
            self.evidence.values().flat_map(|evidence| evidence.claims.clone()).collect();
        claims.sort_by(|one, other| one.id.cmp(&other.id));
        assert_eq!(store.claims(None, 1000).await.unwrap(), claims, "{what}: claims");
        self.assert_equal_stages(store, what).await;
        self.assert_equal_names(store, what).await;
        self.assert_equal_dirt(store, what).await;
        let work = store.kinds_with_vector_work().await.unwrap();
        for kind in [VectorKind::TextUnits, VectorKind::Entities] {
            let pending = store.pending_vectors(kind, 1000).await.unwrap();
            assert_eq!(pending, self.pending_vectors(kind), "{what}: pending vectors of {kind:?}");
            let tombstones: Vec<Id> = self
                .tombstones
                .iter()
                .filter(|(other, _)| *other == kind)
                .map(|(_, id)| id.clone())
                .collect();
            assert_eq!(
                store.tombstones(kind, 1000).await.unwrap(),
                tombstones,
                "{what}: tombstones of {kind:?}"
            );
            // entities without a sum wait for it, and may be told
            let has_work = !pending.is_empty() || !tombstones.is_empty();
            assert!(work.contains(&kind) || !has_work, "{what}: {kind:?} has work for the vector store");
            let is_at_rest = !has_work && (kind == VectorKind::TextUnits || self.dirty_entities.is_empty());
            assert!(
                !is_at_rest || !work.contains(&kind),
                "{what}: {kind:?} has no work for the vector store"
            );
        }
    }

    async fn assert_equal_stages(&self, store: &dyn GraphStore, what: &str) {
        for stage in [Stage::Extraction, Stage::Linking] {
            let pends = |state: &UnitState| match stage {
                Stage::Extraction => state.extraction.is_none() && state.error.is_none(),
                Stage::Linking => state.extraction.is_some() && state.error.is_none() && !state.linking_done,
            };
            let expected: Vec<StoredUnit> =
                self.stored_units().into_iter().filter(|unit| pends(&unit.state)).collect();
            assert_eq!(store.pending_units(stage, None, 1000).await.unwrap(), expected, "{what}: {stage:?}");
        }
        let status = store.document_status(None, 1000).await.unwrap();
        assert_eq!(status.len(), self.documents.len());
        for status in status {
            let mut units: Vec<StoredUnit> =
                self.stored_units().into_iter().filter(|unit| unit.document_key == status.key).collect();
            units.sort_by_key(|unit| unit.unit.index);
            let failed = || units.iter().filter_map(|unit| unit.state.error.clone());
            let extracted =
                units.iter().filter(|unit| unit.state.extraction.is_some() && unit.state.error.is_none());
            let sum =
                |count: fn(&UnitState) -> u32| units.iter().map(|unit| u64::from(count(&unit.state))).sum();
            let lost: u64 = sum(|state| state.records_lost);
            let pruned: u64 = sum(|state| state.records_pruned);
            assert_eq!(
                (status.records_lost, status.records_pruned),
                (lost, pruned),
                "{what}: {}",
                status.key
            );
            assert_eq!(
                (status.text_units, status.extracted, status.failed, status.error),
                (units.len() as u64, extracted.count() as u64, failed().count() as u64, failed().next()),
                "{what}: status of {}",
                status.key
            );
        }
    }

    async fn assert_equal_names(&self, store: &dyn GraphStore, what: &str) {
        let names = self.names();
        assert_eq!(store.names(None, 1000).await.unwrap(), names, "{what}: names");
        for name in names.iter().take(3) {
            let units = store.units_with_names(std::slice::from_ref(&name.key)).await.unwrap();
            assert_eq!(units, self.units_with(&name.key), "{what}: units with {}", name.key);
        }
        let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
        for entity in self.entities() {
            *kinds.entry(entity.kind).or_default() += 1;
        }
        let mut kinds: Vec<(String, u64)> = kinds.into_iter().collect();
        kinds.sort_by_key(|(kind, count)| (Reverse(*count), kind.clone()));
        assert_eq!(store.entity_kinds().await.unwrap(), kinds, "{what}: kinds");
        for (kind, count) in &kinds {
            assert_eq!(store.count_of_kind(kind, 1000).await.unwrap(), *count, "{what}: count of {kind}");
            assert_eq!(store.count_of_kind(kind, 1).await.unwrap(), 1, "{what}: count of {kind} up to 1");
            for sum in [EntitySum::Degree, EntitySum::TextUnits] {
                let of = |entity: Entity| match sum {
                    EntitySum::Degree => (entity.degree, entity.id),
                    EntitySum::TextUnits => (entity.text_unit_count, entity.id),
                };
                let mut greatest: Vec<(u32, Id)> =
                    self.entities().into_iter().filter(|entity| entity.kind == *kind).map(of).collect();
                greatest.sort_unstable_by(|a, b| b.cmp(a));
                let found = store.greatest_of_kind(kind, sum, 1000).await.unwrap();
                let found: Vec<(u32, Id)> = found.into_iter().map(|(id, sum)| (sum, id)).collect();
                assert_eq!(found, greatest, "{what}: greatest of {kind} by {sum:?}");
                assert_eq!(store.greatest_of_kind(kind, sum, 1).await.unwrap().len(), 1, "{what}");
            }
        }
        let mut kinds: Vec<String> = kinds.into_iter().map(|(kind, _)| kind).collect();
        kinds.sort_unstable();
        assert_eq!(store.kinds().await.unwrap(), kinds, "{what}: types by name");
    }

    async fn assert_equal_dirt(&self, store: &dyn GraphStore, what: &str) {
        let relationships: Vec<RelationshipEvidence> = self
            .dirty_relationships
            .iter()
            .filter(|id| self.relationships.contains_key(*id))
            .map(|id| self.relationship_evidence(id))
            .collect();
        assert_eq!(
            store.dirty_relationships(1000).await.unwrap(),
            relationships,
            "{what}: dirty relationships"
        );
        let mut entities: Vec<EntityEvidence> = self
            .dirty_entities
            .iter()
            .filter(|id| self.entities.contains_key(*id))
            .map(|id| self.entity_evidence(id))
            .collect();
        let mut found = store.dirty_entities(1000).await.unwrap();
        if !relationships.is_empty() {
            // degrees are right when the relationships are summed up
            entities.iter_mut().chain(&mut found).for_each(|evidence| evidence.degree = 0);
        }
        assert_eq!(found, entities, "{what}: dirty entities");
    }
}
