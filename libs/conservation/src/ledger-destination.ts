// Names of destinations in the ledger.

/** The first destination. Rows that were written before the ledger had destinations belong to this destination and have an empty name. */
const first = 'events_full'

/** The name of the destination for a stage that fills a topic instead of a table. */
export const noDestination = ''

/**
 * True for a table that was added later. The ledger of such a table can begin anywhere on a log, because records before the table's first
 * ledger row were never written to the table.
 */
export const mayBeginLater = (destination: string): boolean => destination !== first && destination !== noDestination

/** Returns the names that a destination has in the ledger, the current name first. */
export const ledgerNamesOf = (destination: string): readonly string[] => (destination === first ? [first, noDestination] : [destination])

/**
 * The part of an insert's token that distinguishes the ledger rows of a chunk. The first destination keeps the token that was used when
 * there were no other destinations.
 */
export const ledgerTokenOf = (destination: string): readonly string[] =>
  destination === first ? ['ingest_ledger'] : ['ingest_ledger', destination]
