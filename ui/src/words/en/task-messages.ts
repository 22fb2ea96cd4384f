// What the process says of the database, installations, imports and cancelled tasks, in English.

import type { Code } from "../message";

export const taskMessages = {
  cancelled: "cancelled",
  installing: "a program is being installed already: wait until that is over",
  install_dismissed: "nothing was installed, since the password was not given",
  install_not_authorised:
    "nothing was installed: the password was wrong, or this system cannot ask for it",
  install_failed: "it could not be installed: {why}",
  import_list: "the list of pictures at {server} couldn’t be read: {why}",
  import_storage: "nothing can be stored: {why}",
  import_http: "no secure connection can be set up: {why}",
  import_failed: "{name}: {why}",
  import_undated: "pictures without a readable date, now dated today: {count}",
  import_name: "its name is not 32 hexadecimal digits",
  import_name_taken: "another picture has this name here",
  import_address: "its address: {why}",
  import_redirect: "it redirects to something that is no web address",
  import_redirect_plain: "it redirects from https:// to http://",
  import_redirect_private: "it redirects to an address in a private network",
  import_redirects: "it redirects again and again",
  import_endless: "a page of it has no end",
  import_no_list: "it answers with something that is no list of pictures",
  import_status: "it answers {status}",
  import_slow: "it does not answer in time",
  import_too_many: "it has more than {most} pictures, or no end",
  import_page: "page {number}: {why}",
  import_counts: "it counts {total} pictures and shows {shown}",
  import_changes: "it changes while it is read",
  picture_too_large: "the picture is too large",
  picture_unsupported: "not a picture of a format that can be read",
  picture_broken: "the picture is damaged: {why}",
  many_missing:
    "{missing} of {of} pictures are missing, so nothing was changed: is a disk not mounted, or is another bucket set?",
  not_confirmed: "the service does not confirm that it has the picture, so the file stays",
  // The database.
  database_newer: "{file} was written by a newer version of Porchlight: install that version",
  database_older:
    "{file} was written by an older version of Porchlight: start Porchlight once to bring it up to date; one from before the first version needs the last build before it, whose tables have version 17",
  database_damaged:
    "{file} is damaged or no Porchlight database ({why}): move it away or bring a backup back; nothing was changed",
  database_locked: "{file} is locked by another program: close that program and start again",
  database_unopened:
    "{file} cannot be opened ({why}): check that the folder exists and may be written, and that the disk has room",
  database_full: "the database has no room to grow: {why}",
  database_fails: "Porchlight’s database failed: {why}",
  database_panicked: "an error in Porchlight stopped it; see the log",
  database_closed: "the database is closed",
} satisfies Partial<Record<Code, string>>;
