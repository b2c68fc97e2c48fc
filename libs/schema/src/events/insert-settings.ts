// Settings of every insert into the events tables. Without these settings, a stored row costs twice as much.

/** The comments below state costs in milliseconds of engine CPU time per 1,000 rows. */
export const insertSettings: Readonly<Record<string, string | number>> = {
  // Turns off asynchronous inserts, which are the engine's default since version 26. The writer already collects rows into blocks, and
  // acknowledges a block only after it is stored.
  async_insert: 0,
  // The engine removes the duplicates of a block in the first merge. If the engine removed the duplicates in the insert, the insert
  // would cost 33.8 ms instead of 22.9 ms.
  optimize_on_insert: 0,
  max_insert_threads: 1,
  // With this limit, an insert is one block, which creates one part per month. The engine recognizes a retry by comparing the tokens of
  // blocks, one token per block. The engine would therefore not recognize a retry of an insert that it splits into several blocks.
  max_insert_block_size: 1_048_449,
  // An insert does not build these indexes. The first merge of a part builds them; until then, queries scan the part. In one measurement,
  // an insert that built the two text indexes cost 33.5 ms instead of 17.1 ms. In another measurement, an insert that built the indexes of
  // events_core cost 27 ms instead of 24 ms. The index of trace ids is not in this list, so an insert builds this
  // index. Queries use this index to find the traces that one page of a list shows.
  exclude_materialize_skip_indexes_on_insert: 's_input,s_output,i_span,i_user,i_session,i_exp,i_keys,i_kv',
  // If the first attempt of an insert wrote only to events_full, a retry with the same token still writes to events_core.
  deduplicate_blocks_in_dependent_materialized_views: 1,
}
