// Settings of every insert into the events tables. They are part of the table design: without them a stored row costs
// twice as much.

/** The figures are ms of engine CPU per 1,000 rows. */
export const insertSettings: Readonly<Record<string, string | number>> = {
  // Asynchronous inserts are on by default since version 26 of the engine. A batch already is a block, and its acknowledgement must mean
  // that it is stored.
  async_insert: 0,
  // An insert costs 33.8 with optimize_on_insert, and 22.9 without it. The first merge removes duplicates within a block in any case.
  optimize_on_insert: 0,
  max_insert_threads: 1,
  // With this limit, one insert is one block, and a block makes one part per month. The engine compares a token per block, so a server that
  // splits inserts would break retries.
  max_insert_block_size: 1_048_449,
  // The first merge builds these indexes. Until then, queries scan the part. An insert costs 33.5 with the two text indexes, and 17.1
  // without them. An insert costs 27 with the indexes of events_core, and 24 without these indexes. Inserts still build one index, which
  // the reads of a page's traces use.
  exclude_materialize_skip_indexes_on_insert: 's_input,s_output,i_span,i_user,i_session,i_exp,i_keys,i_kv',
  // If the first try reached only events_full, a retry with the same token also writes to the view's table.
  deduplicate_blocks_in_dependent_materialized_views: 1,
}
