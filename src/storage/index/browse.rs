//! Pages of notes, and the vault summed up, out of the rows.

use std::collections::BTreeMap;

use super::{VaultIndex, conditions::Conditions, facts::Facts, rows::number, schema::Fault};
use crate::{
    runtime::{SqlRow, SqlValue, Timestamp},
    vault::{
        filter::NoteFilter,
        path::{DirPath, fold},
        storage::{
            BrowsePage, BrowseQuery, CatalogEntry, CompletionPage, CompletionQuery, FolderCount,
            Order, Overview, OverviewQuery, RECENT, Revision, TOP_TAGS, TagCount,
        },
    },
};

/// The columns of a [`CatalogEntry`].
const ENTRY: &str = "path, title, sha, size, modified";

/// The order of notes by age.
const BY_AGE: &str = "modified IS NULL, modified DESC, path";

impl VaultIndex {
    /// The page of `query`.
    pub(super) fn browse_rows(&self, query: &BrowseQuery<'_>) -> Result<BrowsePage<String>, Fault> {
        let conditions = Conditions::of(&query.dir, query.filter);
        let (total, folders) = self.count_by_folder(query, &conditions)?;
        let order = match query.order {
            Order::Path => "path",
            Order::Modified => BY_AGE,
        };
        let mut page = conditions;
        page.stop_at(query.last_level());
        let tail = format!("ORDER BY {order} LIMIT ? OFFSET ?");
        let bounds = [number(query.limit), number(query.offset)];
        let entries = self.entries(page, &tail, bounds)?;
        let by_age = query.order == Order::Modified || query.filter.modified_since().is_some();
        let undated = if by_age {
            let mut undated = Conditions::of_metadata(&query.dir, query.filter);
            undated.stop_at(query.last_level());
            undated.add("notes.modified IS NULL", []);
            self.count_of(&undated)?
        } else {
            0
        };
        Ok(BrowsePage {
            commit: self.head(),
            total,
            entries,
            folders,
            undated,
        })
    }

    /// The vault summed up.
    pub(super) fn overview_of_rows(
        &self,
        query: &OverviewQuery<'_>,
    ) -> Result<Overview<String>, Fault> {
        let whole = BrowseQuery {
            sieve: query.sieve,
            dir: DirPath::root(),
            depth: None,
            filter: &NoteFilter::default(),
            order: Order::Modified,
            offset: 0,
            limit: 0,
        };
        let (notes, folders) = self.count_by_folder(&whole, &Conditions::default())?;
        let mut dated = Conditions::default();
        dated.add("notes.modified IS NOT NULL", []);
        let mut undated = Conditions::default();
        undated.add("notes.modified IS NULL", []);
        let mut named = Conditions::default();
        named.add(
            "notes.fold IN (SELECT value FROM json_each(?))",
            [serde_json::json!(query.named).to_string().into()],
        );
        let (tags, distinct_tags) = self.tags()?;
        let Facts {
            head,
            checked_at,
            token_expires_at,
            ..
        } = self.facts.get();
        Ok(Overview {
            commit: head,
            notes,
            bytes: self.integer("SELECT ifnull(sum(size), 0) FROM notes", &[])?,
            folders,
            tags,
            distinct_tags,
            recent: self.entries(
                dated,
                &format!("ORDER BY {BY_AGE} LIMIT ?"),
                [number(RECENT)],
            )?,
            undated: self.count_of(&undated)?,
            named: self.entries(named, "ORDER BY path", [])?,
            answered_at: Some(self.clock.now()),
            checked_at,
            token_expires_at,
        })
    }

    /// The paths that hold what was typed: `completion::complete` in SQL.
    pub(super) fn complete_rows(
        &self,
        query: &CompletionQuery<'_>,
    ) -> Result<CompletionPage<String>, Fault> {
        let typed = SqlValue::from(fold(query.typed));
        let holds = "FROM notes WHERE instr(fold, ?) > 0";
        let count = format!("SELECT count(*) {holds}");
        let total = self.integer(&count, std::slice::from_ref(&typed))?;
        let best = format!(
            "SELECT path {holds} ORDER BY CASE
               WHEN instr(fold, ?) = 1 THEN 0
               WHEN instr(fold, '/' || ?) > 0 THEN 1
               ELSE 2
             END, path LIMIT ?"
        );
        let parameters = [typed.clone(), typed.clone(), typed, number(query.limit)];
        let rows = self.sql.exec(&best, &parameters)?;
        let paths = rows.iter().map(|row| Ok(row.text(0)?.to_owned()));
        Ok(CompletionPage {
            total: usize::try_from(total).unwrap_or(usize::MAX),
            paths: paths.collect::<Result<_, Fault>>()?,
        })
    }

    /// How many notes there are down to the level where browsing stops, and the folders there with
    /// how many lie below each.
    fn count_by_folder(
        &self,
        query: &BrowseQuery<'_>,
        conditions: &Conditions,
    ) -> Result<(usize, Vec<FolderCount>), Fault> {
        let statement = format!(
            "SELECT dir, level, count(*) FROM notes WHERE 1{} GROUP BY dir",
            conditions.sql()
        );
        let mut total = 0;
        let mut folders: BTreeMap<String, usize> = BTreeMap::new();
        for row in self.sql.exec(&statement, conditions.parameters())? {
            let dir = row.text(0)?;
            let level = count(&row, 1)?;
            let notes = count(&row, 2)?;
            if query.last_level().is_none_or(|last| level <= last) {
                total += notes;
            }
            if level >= query.folder_level() {
                let mut ends = dir
                    .match_indices('/')
                    .map(|(end, _)| end)
                    .chain([dir.len()]);
                let end = ends.nth(query.folder_level() - 1).unwrap_or(dir.len());
                let folder = dir.get(..end).unwrap_or(dir);
                *folders.entry(folder.to_owned()).or_default() += notes;
            }
        }
        let folders = folders.into_iter();
        let folders = folders.map(|(path, notes)| FolderCount { path, notes });
        Ok((total, folders.collect()))
    }

    /// The tags that most notes have, and how many tags there are.
    fn tags(&self) -> Result<(Vec<TagCount>, usize), Fault> {
        let statement = format!(
            "SELECT min(shown), count(*) AS notes FROM tags GROUP BY tag
             ORDER BY notes DESC, tag LIMIT {TOP_TAGS}"
        );
        let rows = self.sql.exec(&statement, &[])?;
        let tags = rows.iter().map(|row| {
            Ok(TagCount {
                tag: row.text(0)?.to_owned(),
                notes: count(row, 1)?,
            })
        });
        let distinct = self.integer("SELECT count(DISTINCT tag) FROM tags", &[])?;
        Ok((
            tags.collect::<Result<_, Fault>>()?,
            usize::try_from(distinct).unwrap_or(usize::MAX),
        ))
    }

    fn entries<const N: usize>(
        &self,
        conditions: Conditions,
        tail: &str,
        more: [SqlValue; N],
    ) -> Result<Vec<CatalogEntry<String>>, Fault> {
        let statement = format!(
            "SELECT {ENTRY} FROM notes WHERE 1{} {tail}",
            conditions.sql()
        );
        let mut parameters = conditions.into_parameters();
        parameters.extend(more);
        let rows = self.sql.exec(&statement, &parameters)?;
        rows.iter().map(entry).collect()
    }

    fn count_of(&self, conditions: &Conditions) -> Result<usize, Fault> {
        let count = self.rows.count_of(conditions)?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    fn integer(&self, statement: &str, parameters: &[SqlValue]) -> Result<u64, Fault> {
        let rows = self.sql.exec(statement, parameters)?;
        rows.first()
            .map_or(Ok(0), |row| Ok(row.integer(0)?.unsigned_abs()))
    }
}

fn count(row: &SqlRow, column: usize) -> Result<usize, Fault> {
    Ok(usize::try_from(row.integer(column)?).unwrap_or(0))
}

fn entry(row: &SqlRow) -> Result<CatalogEntry<String>, Fault> {
    let modified = match row.0.get(4) {
        Some(SqlValue::Null) => None,
        _ => Some(Timestamp::from_unix_seconds(row.integer(4)?.unsigned_abs())),
    };
    Ok(CatalogEntry {
        path: row.text(0)?.to_owned(),
        title: row.text(1)?.to_owned(),
        revision: Revision::parse(row.text(2)?).map_err(|error| Fault::of(&error))?,
        bytes: row.integer(3)?.unsigned_abs(),
        modified,
    })
}
