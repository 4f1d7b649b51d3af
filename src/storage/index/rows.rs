//! The notes as rows.

use std::{collections::BTreeMap, rc::Rc};

use serde_json::json;

use super::{conditions::Conditions, schema::Fault, terms::Entry};
use crate::{
    runtime::{Sql, SqlRow, SqlValue},
    vault::{
        markdown::{Metadata, name_of},
        path::{DirPath, VaultPath},
        policy::Visible,
        storage::{Revision, Sieve},
        text::is_composed,
    },
};

/// The largest text that goes into a row: Durable Objects hold 2 MB a row.
pub(super) const MAX_BODY: u64 = 1_900_000;

/// The most characters of a title in a row, which a heading as long as the note would burst.
const MAX_TITLE: usize = 1_000;

/// How many tags, properties or links one statement puts in: their JSON is one parameter, and each
/// of them is at most a few kilobytes.
const AT_ONCE: usize = 200;

/// What is known of a note without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Where it is.
    pub(super) path: String,
    /// Its revision.
    pub(super) revision: Revision,
    /// Its size in bytes.
    pub(super) bytes: u64,
}

/// Whether a note's text is in its row, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It is.
    Text = 0,
    /// It is larger than a row may be.
    Large = 1,
    /// It is not UTF-8.
    Binary = 2,
}

/// A note as it arrives: with its bytes, or, where it is too large to be held, with its size.
#[derive(Clone, Debug)]
pub(super) enum Content<'a> {
    /// The bytes.
    Bytes(&'a [u8]),
    /// The size of bytes that stay at GitHub.
    Elsewhere(u64),
}

/// The table of notes.
pub(super) struct Rows {
    sql: Rc<dyn Sql>,
}

impl Rows {
    pub(super) fn new(sql: Rc<dyn Sql>) -> Self {
        Self { sql }
    }

    /// The note at exactly `path`.
    pub(super) fn find(&self, path: &Visible) -> Result<Option<Row>, Fault> {
        let statement = "SELECT path, sha, size FROM notes WHERE path = ?";
        let rows = self.sql.exec(statement, &[path.as_str().into()])?;
        rows.first().map(row).transpose()
    }

    /// The bytes of a revision, where a row holds them. They are checked: a row that does not hash
    /// to its revision is as good as none.
    pub(super) fn content(
        &self,
        path: &str,
        revision: &Revision,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let statement = "SELECT body FROM notes WHERE path = ? AND sha = ?";
        let rows = self
            .sql
            .exec(statement, &[path.into(), revision.as_str().into()])?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let body = row.optional_text(0)?.map(|text| text.as_bytes().to_vec());
        Ok(body.filter(|bytes| Revision::of(bytes) == *revision))
    }

    /// The notes below `dir`, in ascending order of their path's bytes.
    pub(super) fn below(&self, dir: &DirPath) -> Result<Vec<Row>, Fault> {
        let columns = "SELECT path, sha, size FROM notes";
        let rows = if dir.is_root() {
            self.sql.exec(&format!("{columns} ORDER BY path"), &[])?
        } else {
            // `0` is the character after `/`.
            let dir = dir.as_str();
            self.sql.exec(
                &format!("{columns} WHERE path >= ? AND path < ? ORDER BY path"),
                &[format!("{dir}/").into(), format!("{dir}0").into()],
            )?
        };
        rows.iter().map(row).collect()
    }

    /// Whether any note is below `dir`.
    pub(super) fn any_below(&self, dir: &str) -> Result<bool, Fault> {
        let statement = "SELECT 1 FROM notes WHERE path >= ? AND path < ? LIMIT 1";
        let range = [format!("{dir}/").into(), format!("{dir}0").into()];
        Ok(!self.sql.exec(statement, &range)?.is_empty())
    }

    /// The paths that have one fold, in ascending order.
    pub(super) fn with_fold(&self, fold: &str) -> Result<Vec<String>, Fault> {
        let statement = "SELECT path FROM notes WHERE fold = ? ORDER BY path";
        let rows = self.sql.exec(statement, &[fold.into()])?;
        rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
    }

    /// The paths below every folder that has one fold, in ascending order.
    pub(super) fn below_fold(&self, fold: &str) -> Result<Vec<String>, Fault> {
        let statement = "SELECT path FROM notes WHERE fold >= ? AND fold < ? ORDER BY path";
        let range = [format!("{fold}/").into(), format!("{fold}0").into()];
        let rows = self.sql.exec(statement, &range)?;
        rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
    }

    /// Every path with its revision.
    pub(super) fn revisions(&self) -> Result<BTreeMap<String, Revision>, Fault> {
        let rows = self.sql.exec("SELECT path, sha, size FROM notes", &[])?;
        rows.iter()
            .map(|each| row(each).map(|row| (row.path, row.revision)))
            .collect()
    }

    /// How many notes there are.
    pub(super) fn count(&self) -> Result<u64, Fault> {
        self.count_of(&Conditions::default())
    }

    /// Puts a note in its row, in place of the one that was there, and what it says into the other
    /// tables. When it was changed last is not known then.
    pub(super) fn put(
        &self,
        path: &Visible,
        revision: &Revision,
        content: &Content<'_>,
    ) -> Result<(), Fault> {
        let (bytes, mut kind, mut body) = match content {
            Content::Elsewhere(bytes) => (*bytes, Kind::Large, None),
            Content::Bytes(content) => {
                let bytes = content.len() as u64;
                match str::from_utf8(content) {
                    _ if bytes > MAX_BODY => (bytes, Kind::Large, None),
                    Ok(text) => (bytes, Kind::Text, Some(text)),
                    Err(_) => (bytes, Kind::Binary, None),
                }
            }
        };
        let mut metadata = Metadata::of(path.path(), body.unwrap_or_default());
        let mut entry = Entry::of(path.path(), body.unwrap_or_default(), &metadata);
        if !entry.fits() {
            (kind, body) = (Kind::Large, None);
            metadata = Metadata::of(path.path(), "");
            entry = Entry::of(path.path(), "", &metadata);
        }
        let parent = path.path().parent();
        let is_composed = is_composed(path.as_str()) && body.is_none_or(is_composed);
        let title: String = metadata.title.chars().take(MAX_TITLE).collect();
        self.remove(path.as_str())?;
        let rows = self.sql.exec(
            "INSERT INTO notes(path, fold, name, dir, level, sha, size, kind, title, composed, body)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            &[
                path.as_str().into(),
                path.fold().into(),
                name_of(path.as_str()).into(),
                parent.as_str().into(),
                number(parent.segments().count()),
                revision.as_str().into(),
                i64::try_from(bytes).unwrap_or(i64::MAX).into(),
                (kind as i64).into(),
                title.into(),
                i64::from(is_composed).into(),
                body.map_or(SqlValue::Null, SqlValue::from),
            ],
        )?;
        let id = rows.first().map_or(Ok(0), |row| row.integer(0))?;
        self.put_metadata(id, &metadata)?;
        Ok(entry.put(&*self.sql, id)?)
    }

    /// Puts what a note says of itself into its tables.
    fn put_metadata(&self, id: i64, metadata: &Metadata) -> Result<(), Fault> {
        let tags = metadata.tags.iter();
        let tags: Vec<_> = tags.map(|tag| json!([tag.fold(), tag.as_str()])).collect();
        let properties = metadata.properties.comparables();
        let properties: Vec<_> = properties.map(|pair| json!(pair)).collect();
        let links = metadata.links.iter();
        let links: Vec<_> = links
            .map(|link| json!([link.name(), link.target, link.line]))
            .collect();
        for (statement, items) in [
            (
                "INSERT INTO tags(note, tag, shown)
                 SELECT ?, value ->> 0, value ->> 1 FROM json_each(?)",
                tags,
            ),
            (
                "INSERT OR IGNORE INTO properties(note, key, value)
                 SELECT ?, value ->> 0, value ->> 1 FROM json_each(?)",
                properties,
            ),
            (
                "INSERT OR IGNORE INTO links(note, name, target, line)
                 SELECT ?, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)",
                links,
            ),
        ] {
            for items in items.chunks(AT_ONCE) {
                let items = json!(items).to_string();
                self.sql.exec(statement, &[id.into(), items.into()])?;
            }
        }
        Ok(())
    }

    /// The note with this `id` and its text, which is empty where the row does not hold it.
    pub(super) fn text(&self, id: i64) -> Result<Option<(VaultPath, String)>, Fault> {
        let statement = "SELECT path, ifnull(body, '') FROM notes WHERE id = ?";
        let rows = self.sql.exec(statement, &[id.into()])?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let path = VaultPath::parse(row.text(0)?).map_err(|error| Fault::of(&error))?;
        Ok(Some((path, row.text(1)?.to_owned())))
    }

    /// How many notes meet the conditions.
    pub(super) fn count_of(&self, conditions: &Conditions) -> Result<u64, Fault> {
        let statement = format!("SELECT count(*) FROM notes WHERE 1{}", conditions.sql());
        let rows = self.sql.exec(&statement, conditions.parameters())?;
        rows.first()
            .map_or(Ok(0), |row| Ok(row.integer(0)?.unsigned_abs()))
    }

    /// The last path of the notes that meet the conditions.
    pub(super) fn last_of(&self, conditions: &Conditions) -> Result<Option<String>, Fault> {
        let statement = format!("SELECT max(path) FROM notes WHERE 1{}", conditions.sql());
        let rows = self.sql.exec(&statement, conditions.parameters())?;
        let last = rows.first().map(|row| row.optional_text(0)).transpose()?;
        Ok(last.flatten().map(str::to_owned))
    }

    /// Removes the note at `path`.
    pub(super) fn remove(&self, path: &str) -> Result<(), Fault> {
        self.sql
            .exec("DELETE FROM notes WHERE path = ?", &[path.into()])?;
        Ok(())
    }

    /// Removes every note that `sieve` does not let through.
    pub(super) fn retain(&self, sieve: &dyn Sieve) -> Result<(), Fault> {
        for path in self.revisions()?.into_keys() {
            if sieve.admit(&path).is_none() {
                self.remove(&path)?;
            }
        }
        Ok(())
    }

    /// Removes every note.
    pub(super) fn clear(&self) -> Result<(), Fault> {
        self.sql.exec("DELETE FROM notes", &[])?;
        Ok(())
    }
}

/// A count or position as a parameter.
pub(super) fn number(number: usize) -> SqlValue {
    SqlValue::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

fn row(row: &SqlRow) -> Result<Row, Fault> {
    Ok(Row {
        path: row.text(0)?.to_owned(),
        revision: Revision::parse(row.text(1)?).map_err(|error| Fault::of(&error))?,
        bytes: row.integer(2)?.unsigned_abs(),
    })
}
