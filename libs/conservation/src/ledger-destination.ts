/**
 * If a ledger row of the writer has an empty destination, the row belongs to `events_full`. Older releases, which had no destinations,
 * wrote such rows.
 */
const first = 'events_full'

/** Destination of a stage that fills a topic instead of a table. */
export const noDestination = ''

/**
 * True for all tables except `first`. The ledger of such a table can begin at any offset, because the records before this offset were never
 * written to that table.
 */
export const mayBeginLater = (destination: string): boolean => destination !== first && destination !== noDestination

/** The current name comes first. */
export const ledgerNamesOf = (destination: string): readonly string[] => (destination === first ? [first, noDestination] : [destination])

/**
 * The part of an insert's token that distinguishes the ledger rows of a chunk. The first destination has the same token as in older
 * releases, which had no destinations.
 */
export const ledgerTokenOf = (destination: string): readonly string[] =>
  destination === first ? ['ingest_ledger'] : ['ingest_ledger', destination]
