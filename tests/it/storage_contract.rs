//! What every backend promises: one suite, each case against each backend.
//!
//! A case gets a fresh vault and speaks [`VaultStorage`] only, so that a backend that passes can
//! stand in for another.

mod clients;
mod history;
mod reading;
mod together;
mod writing;

use std::rc::Rc;

use vault_mcp::vault::storage::VaultStorage;
use vault_mcp_dev::SeedFile;

use crate::support::{
    index::note,
    storage::{Subject, read, run},
};
use clients::*;
use history::*;
use reading::*;
use together::*;
use writing::*;

/// Runs every case against every backend.
macro_rules! contract {
    ($($case:ident)*) => {
        mod memory {
            $(#[test]
            fn $case() {
                super::run(async {
                    let start = async |files| {
                        let vault = crate::support::storage::InMemory::start(files);
                        std::rc::Rc::new(vault) as std::rc::Rc<dyn super::Subject>
                    };
                    super::$case(start).await;
                });
            })*
        }

        mod github {
            $(#[test]
            fn $case() {
                super::run(async {
                    let start = async |files| {
                        let vault = crate::support::github::AtGithub::start(files).await;
                        std::rc::Rc::new(vault) as std::rc::Rc<dyn super::Subject>
                    };
                    super::$case(start).await;
                });
            })*
        }

        mod index {
            $(#[test]
            fn $case() {
                super::run(async {
                    let start = async |files| {
                        let vault = crate::support::index::AtIndex::start(files).await;
                        std::rc::Rc::new(vault) as std::rc::Rc<dyn super::Subject>
                    };
                    super::$case(start).await;
                });
            })*
        }
    };
}

contract! {
    a_listing_holds_every_note_once_in_order
    a_listing_of_a_folder_holds_what_is_below_it_only
    reading_gives_the_bytes_and_the_revision_git_gives_them
    a_missing_note_is_no_error
    a_note_is_created_once
    an_update_needs_the_revision_that_is_there
    a_note_that_is_gone_is_not_updated
    a_note_is_deleted_once
    twins_in_case_and_normalization_are_found
    links_and_submodules_are_never_shown_nor_changed
    nothing_but_a_note_gives_way_to_a_note
    a_note_is_not_made_beside_another_spelling_of_it
    a_note_is_not_made_beside_another_spelling_of_what_is_no_note
    what_is_hidden_is_in_nobodys_way
    of_two_twins_at_once_one_is_made
    hidden_paths_do_not_leave_the_backend
    an_empty_repository_is_an_empty_vault_that_can_be_written_to
    bytes_stay_as_they_are
    a_note_of_more_than_a_megabyte_is_whole
    names_of_every_kind_go_and_come_back
    what_somebody_else_pushed_is_seen_and_not_overwritten
    an_earlier_commit_can_be_read
    a_commit_outside_the_history_is_unknown
    the_history_of_a_note_is_the_commits_that_touched_it
    a_page_of_a_history_goes_on_where_the_one_before_ended
    what_is_no_note_has_no_history
    a_diff_is_there_where_it_is_asked_for
    several_notes_are_read_at_one_commit
    several_notes_are_read_until_they_are_enough
    links_lead_where_obsidian_takes_them
    twenty_writers_at_once_lose_nothing
    twenty_clients_append_to_one_note_at_once
    twenty_clients_edit_one_note_at_once
}

/// Makes a vault whose first commit holds the files.
trait Start: AsyncFn(Vec<SeedFile>) -> Rc<dyn Subject> {}

impl<F: AsyncFn(Vec<SeedFile>) -> Rc<dyn Subject>> Start for F {}

async fn content(storage: &dyn VaultStorage, path: &str) -> Vec<u8> {
    read(storage, path).await.unwrap().note.expect(path).content
}
