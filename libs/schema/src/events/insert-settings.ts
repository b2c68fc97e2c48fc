// Settings of every insert into the events tables, without which a stored row costs twice as much.

/** Costs are milliseconds of engine CPU per 1,000 rows. */
export const insertSettings: Readonly<Record<string, string | number>> = {
  // The engine's default since version 26 is 1. The writer already collects rows into blocks, and must know that a block is stored.
  async_insert: 0,
  // An insert costs 33.8 ms with it, and 22.9 ms without. The first merge then removes the duplicates of a block.
  optimize_on_insert: 0,
  max_insert_threads: 1,
  // Makes an insert one block, which creates one part per month. The engine compares one token per block, so it would not recognize a retry
  // that is split into several blocks.
  max_insert_block_size: 1_048_449,
  // The first merge of a part builds these indexes; until then, queries scan the part. The two text indexes lower the cost of an insert
  // from 33.5 ms to 17.1 ms if left out. Those of events_core lower it from 27 ms to 24 ms. The index of trace ids stays, because reading a
  // page's traces uses it.
  exclude_materialize_skip_indexes_on_insert: 's_input,s_output,i_span,i_user,i_session,i_exp,i_keys,i_kv',
  // If the first attempt reached only events_full, a retry with its token still writes to the view's table.
  deduplicate_blocks_in_dependent_materialized_views: 1,
}
