// Names of destinations in the ledger.

/** The first destination. Rows written before the ledger had destinations belong to it and have an empty name. */
const first = 'events_full'

/** The name for a stage that fills a topic instead of a table. */
export const noDestination = ''

/** A table added later may begin anywhere on a log. Records before its first row were never meant for it. */
export const mayBeginLater = (destination: string): boolean => destination !== first && destination !== noDestination

/** Returns the ledger names of a destination, the current one first. */
export const ledgerNamesOf = (destination: string): readonly string[] => (destination === first ? [first, noDestination] : [destination])

/**
 * Distinguishes the inserts of a chunk's ledger rows. The first destination keeps the token from before there were
 * others.
 */
export const ledgerTokenOf = (destination: string): readonly string[] =>
  destination === first ? ['ingest_ledger'] : ['ingest_ledger', destination]
