// Settings of every insert into the events tables. They are part of the table design: without them a stored row costs
// twice as much.

/** Figures are measured in ms of engine CPU per 1,000 rows. */
export const insertSettings: Readonly<Record<string, string | number>> = {
  // On by default since 26.x. A batch is already a block, and its acknowledgement must mean "stored".
  async_insert: 0,
  // An insert costs 33.8 with optimize_on_insert and 22.9 without it. The first merge removes duplicates within a block anyway.
  optimize_on_insert: 0,
  max_insert_threads: 1,
  // One block makes one part per month. The engine compares a token per block, so a server that splits inserts would
  // break retries.
  max_insert_block_size: 1_048_449,
  // The first merge builds these indexes, and unmerged parts are scanned. An insert costs 33.5 with the two text indexes and 17.1 without
  // them, and 27 with those of events_core and 24 without them. Inserts still build one index, which serves the traces of a page.
  exclude_materialize_skip_indexes_on_insert: 's_input,s_output,i_span,i_user,i_session,i_exp,i_keys,i_kv',
  // Lets a retry with the same token repair the view's table when the first try reached only events_full.
  deduplicate_blocks_in_dependent_materialized_views: 1,
}
