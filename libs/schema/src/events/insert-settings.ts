// Settings of every insert into the events tables. Without these settings, a stored row costs twice as much, so they are part of the table
// design.

/** The costs in this file are milliseconds of engine CPU per 1,000 rows. */
export const insertSettings: Readonly<Record<string, string | number>> = {
  // Asynchronous inserts are off; since version 26 of the engine, they are on by default. The writer already collects rows into blocks, and
  // a block must be stored before it is acknowledged.
  async_insert: 0,
  // An insert costs 33.8 ms with optimize_on_insert, and 22.9 ms without it. Without optimize_on_insert, the first merge removes the
  // duplicates of a block.
  optimize_on_insert: 0,
  max_insert_threads: 1,
  // The limit makes an insert one block, which creates one part per month. The engine compares one token per block, so it would not
  // recognize a retry if a server split inserts into several blocks.
  max_insert_block_size: 1_048_449,
  // The first merge of a part builds the indexes in this list. Queries scan the part until its first merge. An insert costs 33.5 ms with
  // the two text indexes, and 17.1 ms without them. An insert costs 27 ms with the indexes of events_core, and 24 ms without these indexes.
  // Inserts still build the index of trace ids, because reading the traces of a page uses it.
  exclude_materialize_skip_indexes_on_insert: 's_input,s_output,i_span,i_user,i_session,i_exp,i_keys,i_kv',
  // If the first attempt reached only events_full, a retry with the same token still writes to the view's table.
  deduplicate_blocks_in_dependent_materialized_views: 1,
}
