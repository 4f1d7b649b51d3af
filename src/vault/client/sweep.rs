//! Searching the vault for a pattern, as far as one call goes.

use super::{
    FoundNote, FoundPage, MAX_HITS, SearchRequest, VaultClient, check_limit, search::Onward,
};
use crate::vault::{
    cursor::{Cursor, CursorError, QueryFingerprint},
    error::VaultError,
    filter::NoteFilter,
    path::DirPath,
    policy::Visible,
    storage::{Indexed, Sieve, SweepPage, SweepQuery},
    text::Pattern,
};

/// How many bytes of paths and texts one call looks at: about as much as a call may take of the
/// object's time, in which nobody else is served.
const BUDGET: u64 = 8 << 20;

/// Where a search for a pattern goes on: how many hits there were before, and the last note that was
/// gone through.
struct Place {
    before: usize,
    after: Visible,
}

impl VaultClient {
    /// Searches the notes of a folder for a pattern, in the order of their paths, as far as one call
    /// goes: see [`Self::search`].
    pub(super) async fn search_pattern(
        &self,
        request: &SearchRequest<'_>,
    ) -> Result<FoundPage, VaultError> {
        let dir = self.dir(request.dir)?;
        let pattern =
            Pattern::parse(request.query).map_err(|error| VaultError::invalid("query", &error))?;
        check_limit(request.limit, MAX_HITS)?;
        let filter = Self::filter(&request.filter)?;
        let parts = ["sweep", dir.as_str(), request.query, &filter.as_text()];
        let fingerprint = QueryFingerprint::of(&parts);
        let cursor = Cursor::given(request.cursor, &fingerprint)?;
        let place = cursor
            .as_ref()
            .map(|cursor| self.place(cursor))
            .transpose()?;
        let (before, after) = place.map_or((0, None), |place| (place.before, Some(place.after)));

        let find = async |dir: &DirPath| {
            self.swept(&pattern, (dir, &filter), after.clone(), request.limit)
                .await
        };
        let mut page = find(&dir).await?;
        if page.searched + page.unsearched == 0 && !dir.is_root() {
            // It holds nothing of the kind, or it is not there, or it goes by a twin's name.
            let there = self.folder(&dir, None).await?.dir;
            if there != dir {
                page = find(&there).await?;
            }
        }
        FoundPage::check_commit(cursor.as_ref(), page.commit.as_ref())?;
        let mut found = FoundPage {
            commit: page.commit,
            total: before.saturating_add(page.found),
            hits: page.hits.into_iter().map(FoundNote::from).collect(),
            searched: page.searched,
            by_path_only: page.by_path_only,
            unsearched: page.unsearched,
            next: None,
            onward: Onward::Path {
                before,
                stopped_at: page.stopped_at.map(|path| path.path().clone()),
            },
            fingerprint,
        };
        found.set_next();
        Ok(found)
    }

    /// The place that a cursor names. Its path is judged like an argument.
    fn place(&self, cursor: &Cursor) -> Result<Place, VaultError> {
        let place = cursor.after.split_once(' ').and_then(|(before, path)| {
            Some(Place {
                before: before.parse().ok()?,
                after: self.policy.admit(path)?,
            })
        });
        place.ok_or_else(|| VaultError::invalid("cursor", &CursorError::Unreadable))
    }

    /// What the backend found, judged again.
    async fn swept(
        &self,
        pattern: &Pattern,
        (dir, filter): (&DirPath, &NoteFilter),
        after: Option<Visible>,
        limit: usize,
    ) -> Result<SweepPage, VaultError> {
        let asked = SweepQuery {
            sieve: &*self.policy,
            pattern,
            dir: dir.clone(),
            filter,
            after,
            limit,
            budget: BUDGET,
        };
        let answer = self.storage.sweep(&asked).await;
        match answer.map_err(|error| VaultError::from_storage(dir.as_str(), error))? {
            Indexed::Building(progress) => Err(VaultError::building(progress)),
            Indexed::Answer(page) => {
                Ok(page.with_paths(|path| self.is_shown_below(dir, &path).then_some(path)))
            }
        }
    }
}
