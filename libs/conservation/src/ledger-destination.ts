/**
 * If a ledger row of the writer has an empty destination, the row belongs to `events_full`. Older releases, which had no destinations,
 * wrote such rows.
 */
const first = 'events_full'

/** Destination of a stage that fills a topic instead of a table. */
export const noDestination = ''

/**
 * True if the destination is a table other than `first`. The ledger of such a table can begin at any offset, because the records before
 * this offset were never written to that table.
 */
export const mayBeginLater = (destination: string): boolean => destination !== first && destination !== noDestination

/** The current name comes first. */
export const ledgerNamesOf = (destination: string): readonly string[] => (destination === first ? [first, noDestination] : [destination])

/**
 * The part of an insert's token that depends on the destination. The ledger rows of a chunk have different destinations and therefore get
 * different tokens. For `first`, the token is the same as in older releases, which had no destinations.
 */
export const ledgerTokenOf = (destination: string): readonly string[] =>
  destination === first ? ['ingest_ledger'] : ['ingest_ledger', destination]
