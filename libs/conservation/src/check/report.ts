// The report of a check, for people and programs.
import { topicNames } from '@svc-server/modes/names'

/**
 * `missing`: the item is on the log and the writer acknowledged it, but it is neither stored nor dead-lettered.
 *
 * `doubled`: several raw rows have the same provenance.
 *
 * `surplus`: a row is stored although its record has no such span, or although its span is a dead letter.
 *
 * `core`: a key exists in only one of the two tables, or in different versions.
 *
 * `ledger_gap`, `ledger_imbalance`: the ledger misses a range, or its numbers for a range do not add up.
 *
 * `unpublished`: the item is staged and the propagator acknowledged it, but it is neither published nor dead-lettered.
 *
 * `overpublished`: more items were published for the first time than were staged.
 *
 * `ledger_handover`: the propagator published a different number of items than the writer received.
 *
 * `lost`: a damaged range of the embedded log that an operator skipped. Counts one item per lost offset, because the number of lost items
 * is unknown.
 */
type FindingKind =
  | 'missing'
  | 'doubled'
  | 'surplus'
  | 'core'
  | 'ledger_gap'
  | 'ledger_imbalance'
  | 'unpublished'
  | 'overpublished'
  | 'ledger_handover'
  | 'lost'

/** The kind of items that a report counts. `items` means spans and merged entities together. */
export type Unit = 'spans' | 'scores' | 'run items' | 'entities' | 'items'

const units: ReadonlyMap<string, Unit> = new Map([
  [topicNames.scores, 'scores'],
  [topicNames.runItems, 'run items'],
  [topicNames.entities, 'entities'],
  [topicNames.staging, 'items'],
  [topicNames.filled, 'items'],
])

/** Returns a unit that fits records of all kinds on a topic. */
export const unitOn = (topic: string): Unit => units.get(topic) ?? 'spans'

export interface Finding {
  readonly kind: FindingKind
  readonly topic: string
  readonly partition: number
  /** Offsets, both inclusive. */
  readonly first: number
  readonly last: number
  /** Number of affected items of the kind `unit`. */
  readonly spans: number
  readonly unit: Unit
  /** The table, if it is not one of the events tables. */
  readonly table?: string
  /** One of the affected items: project/trace/span, project/trace, observation/id, or another form that helps to find it. */
  readonly example?: string
}

export interface PartitionReport {
  readonly topic: string
  readonly partition: number
  /**
   * The checked offsets: [from, until). Records below `from` are deleted or were not requested. Records from `until` on are not stored yet.
   */
  readonly from: number
  readonly until: number
  /** Number of offsets that are not stored yet. */
  readonly waiting: number
  readonly records: number
  /** Number of spans that the envelopes state. */
  readonly spans: number
  /** Number of merged entities among the spans. The check looks up merged entities by key. */
  readonly entities: number
  /** Number of spans that are stored in events_full with their own provenance. */
  readonly stored: number
  /** Number of spans that were sent a second time and merged into the later record's row. */
  readonly superseded: number
  /** Dead-lettered spans. The number includes dead letters that are deleted from the topic and counted only by the ledger. */
  readonly deadLettered: number
  /** Number of dead-lettered spans whose dead letters have been deleted from the topic. */
  readonly deadLettersExpired: number
  /** Number of spans of deleted traces and projects, whose rows are deleted. */
  readonly denied: number
  /** Number of missing spans: neither stored nor superseded, dead-lettered or denied. */
  readonly missing: number
  /** Number of rows of events_full, without and with FINAL, and of events_core with FINAL. */
  readonly rawRows: number
  readonly finalRows: number
  readonly coreFinalRows: number
  /** Number of spans and entities in the ledger. */
  readonly ledgerSpans: number
  readonly unaccounted: number
}

/** Report on a partition of spans.staging and its processing by the propagator. */
export interface StagedReport {
  readonly topic: string
  readonly partition: number
  /** The checked offsets: [from, until). Offsets from `until` on are still waiting for the end of their window or for a propagator. */
  readonly from: number
  readonly until: number
  readonly waiting: number
  readonly records: number
  /** Number of spans that the envelopes state. */
  readonly spans: number
  /** Number of merged entities among the spans. */
  readonly entities: number
  /** Number of spans and entities that were published to spans.filled for the first time. */
  readonly published: number
  /** Number of items that were published to spans.filled again, with more attributes. */
  readonly republished: number
  readonly deadLettered: number
  /** Number of dead-lettered items whose dead letters have been deleted from the topic. */
  readonly deadLettersExpired: number
  /** Number of items that are neither published nor dead-lettered. */
  readonly missing: number
  /** Number of items that the ledger does not account for. */
  readonly unaccounted: number
}

/** Report on a partition whose items are looked up by key, because their tables or rows have no provenance. */
export interface KeyedReport {
  readonly topic: string
  readonly partition: number
  /** The checked offsets: [from, until). */
  readonly from: number
  readonly until: number
  /** Number of offsets that are not stored yet; 0 if the partition's report on spans already counts them. */
  readonly waiting: number
  /** Number of spans, scores, run items and merged entities that were looked up. */
  readonly items: number
  /** Number of merged entities among the items. */
  readonly entities: number
  readonly deadLettered: number
  /** Number of items of deleted traces and projects, whose rows are deleted. */
  readonly denied: number
  /** Number of items that are not stored, dead-lettered or denied. */
  readonly missing: number
}

export interface ConservationReport {
  readonly conserved: boolean
  /** True if no records are waiting, so that the report covers everything accepted until now. */
  readonly atRest: boolean
  readonly partitions: readonly PartitionReport[]
  readonly staged: readonly StagedReport[]
  /** The reports on the old tables and on merged entities. */
  readonly keyed: readonly KeyedReport[]
  /** The first thousand findings. Additional findings are omitted. */
  readonly findings: readonly Finding[]
  /** Number of dead letters that this release cannot read. */
  readonly unreadableDeadLetters: number
}

const maxFindings = 1000

/** Collects findings, and joins adjacent ones of the same kind into one range. */
export function createFindings() {
  const all: Finding[] = []
  let kept = true
  return {
    /** `unit` defaults to the topic's unit. */
    add({ unit, ...rest }: Omit<Finding, 'unit'> & Partial<Pick<Finding, 'unit'>>): void {
      const finding: Finding = { ...rest, unit: unit ?? unitOn(rest.topic) }
      const before = all.at(-1)
      if (before !== undefined && continues(before, finding)) {
        all[all.length - 1] = { ...before, last: finding.last, spans: before.spans + finding.spans }
      } else if (all.length < maxFindings) all.push(finding)
      else kept = false
    },
    list: (): readonly Finding[] => all,
    /** False if findings were omitted because the list had reached its maximum length. */
    complete: () => kept,
  }
}

export type Findings = ReturnType<typeof createFindings>

const continues = (a: Finding, b: Finding) =>
  a.kind === b.kind &&
  a.topic === b.topic &&
  a.unit === b.unit &&
  a.table === b.table &&
  a.partition === b.partition &&
  (a.last + 1 === b.first || a.last === b.first)
